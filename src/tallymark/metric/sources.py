"""One bibliography: the key a metric cites -> the work it comes from."""

from __future__ import annotations

SOURCES: dict[str, str] = {
    "tharwat2018": "A. Tharwat (2018). Classification assessment methods. "
    "Applied Computing and Informatics 17(1), 168-192.",
    "shin2020": "Y. Shin, S. Kim, J. Han. A comparison of measures for classification "
    "(kappas, MCC, gain and lift).",
    "liu2014": "Y. Liu, Y. Zhou, S. Wen, C. Tang (2014). A strategy on selecting performance "
    "metrics for classifier evaluation. International Journal of Mobile Computing and Multimedia "
    "Communications 6(4), 20-35.",
    "menzies2007": "T. Menzies, J. Greenwald, A. Frank (2007). Data mining static code attributes "
    "to learn defect predictors. IEEE Transactions on Software Engineering 33(1), 2-13.",
    "fawcett2006": "T. Fawcett (2006). An introduction to ROC analysis. "
    "Pattern Recognition Letters 27(8), 861-874.",
    "youden1950": "W. J. Youden (1950). Index for rating diagnostic tests. Cancer 3(1), 32-35.",
    "matthews1975": "B. W. Matthews (1975). Comparison of the predicted and observed secondary "
    "structure of T4 phage lysozyme. Biochimica et Biophysica Acta 405(2), 442-451.",
    "gorodkin2004": "J. Gorodkin (2004). Comparing two K-category assignments by a K-category "
    "correlation coefficient. Computational Biology and Chemistry 28(5-6), 367-374.",
    "cohen1960": "J. Cohen (1960). A coefficient of agreement for nominal scales. "
    "Educational and Psychological Measurement 20(1), 37-46.",
    "cohen1968": "J. Cohen (1968). Weighted kappa. Psychological Bulletin 70(4), 213-220.",
    "scott1955": "W. A. Scott (1955). Reliability of content analysis: the case of nominal scale "
    "coding. Public Opinion Quarterly 19(3), 321-325.",
    "fleiss1971": "J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. "
    "Psychological Bulletin 76(5), 378-382.",
    "landis1977": "J. R. Landis, G. G. Koch (1977). The measurement of observer agreement for "
    "categorical data. Biometrics 33(1), 159-174.",
    "vanrijsbergen1979": "C. J. van Rijsbergen (1979). Information Retrieval, 2nd ed.",
    "maratea2014": "A. Maratea, A. Petrosino, M. Manzo (2014). Adjusted F-measure and kernel "
    "scaling for imbalanced data learning. Information Sciences 257, 331-341.",
    "batuwita2012": "R. Batuwita, V. Palade (2012). Adjusted geometric-mean: a novel performance "
    "measure for imbalanced bioinformatics datasets learning. Journal of Bioinformatics and "
    "Computational Biology 10(4).",
    "ranawana2006": "R. Ranawana, V. Palade (2006). Optimized precision: a new measure for "
    "classifier performance evaluation. IEEE Congress on Evolutionary Computation.",
    "fowlkes1983": "E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical "
    "clusterings. Journal of the American Statistical Association 78(383), 553-569.",
    "kubat1998": "M. Kubat, R. C. Holte, S. Matwin (1998). Machine learning for the detection of "
    "oil spills in satellite radar images. Machine Learning 30, 195-215.",
    "jaccard1901": "P. Jaccard (1901). Distribution de la flore alpine dans le bassin des Dranses "
    "et dans quelques regions voisines. "
    "Bulletin de la Societe Vaudoise des Sciences Naturelles 37.",
    "powers2011": "D. M. W. Powers (2011). Evaluation: from precision, recall and F-measure to "
    "ROC, informedness, markedness and correlation. Journal of Machine Learning Technologies 2(1).",
    "glas2003": "A. S. Glas and others (2003). The diagnostic odds ratio: a single indicator of "
    "test performance. Journal of Clinical Epidemiology 56(11), 1129-1135.",
    "sokolova2006": "M. Sokolova, N. Japkowicz, S. Szpakowicz (2006). Beyond accuracy, F-score and "
    "ROC: a family of discriminant measures for performance evaluation. AI 2006.",
    "cramer1946": "H. Cramer (1946). Mathematical Methods of Statistics.",
    "hanley1982": "J. A. Hanley, B. J. McNeil (1982). The meaning and use of the area under a "
    "receiver operating characteristic (ROC) curve. Radiology 143(1), 29-36.",
    "davis2006": "J. Davis, M. Goadrich (2006). The relationship between precision-recall and ROC "
    "curves. Proceedings of the 23rd International Conference on Machine Learning.",
    "buckley2000": "C. Buckley, E. M. Voorhees (2000). Evaluating evaluation measure stability. "
    "SIGIR 2000.",
    "brier1950": "G. W. Brier (1950). Verification of forecasts expressed in terms of probability. "
    "Monthly Weather Review 78(1), 1-3.",
    "good1952": "I. J. Good (1952). Rational decisions. Journal of the Royal Statistical Society B "
    "14(1), 107-114.",
    "witten2011": "I. H. Witten, E. Frank, M. A. Hall (2011). Data Mining: Practical Machine "
    "Learning Tools and Techniques, 3rd ed.",
    "martin1997": "A. Martin and others (1997). The DET curve in assessment of detection task "
    "performance. Eurospeech 1997.",
}
