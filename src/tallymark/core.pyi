"""What parts may use of the core, beside the public names of the package.

A line is a module and what it offers; each is imported when first asked for.

Made by `make stubs`; a test keeps it current.
"""

from tallymark.contract import ANY as ANY
from tallymark.contract import PATH as PATH
from tallymark.contract import TEXT as TEXT
from tallymark.contract import TEXTS as TEXTS
from tallymark.contract import checked as checked
from tallymark.contract import shown as shown
from tallymark.contract import whole as whole
from tallymark.display import Display as Display
from tallymark.display import Document as Document
from tallymark.errors import check_name as check_name
from tallymark.errors import listed as listed
from tallymark.infer.sampler import Sampler as Sampler
from tallymark.metric import Metric as Metric
from tallymark.metric import get as get
from tallymark.metric.measure import Statistic as Statistic
from tallymark.metric.measure import fields_of as fields_of
from tallymark.metric.measure import json_number as json_number
from tallymark.quantities import many as many
from tallymark.reading.asked import Asked as Asked
from tallymark.reading.indicators import has_several_labels as has_several_labels
from tallymark.reading.models import Model as Model
from tallymark.reading.models import Note as Note
from tallymark.reading.source import Source as Source
from tallymark.report import words as words
from tallymark.report.blocks import Block as Block
from tallymark.report.blocks import Cell as Cell
from tallymark.report.blocks import Grid as Grid
from tallymark.report.blocks import Headline as Headline
from tallymark.report.blocks import Paragraph as Paragraph
from tallymark.listing import Listing as Listing
from tallymark.tally.arrays import Floats as Floats
from tallymark.tally.arrays import Label as Label
from tallymark.tally.arrays import as_array as as_array
from tallymark.tally.arrays import code_labels as code_labels
from tallymark.tally.arrays import find_positive as find_positive
from tallymark.tally.arrays import to_numpy as to_numpy
from tallymark.tally.scores import ScoreCounts as ScoreCounts
