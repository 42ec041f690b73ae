"""One bibliography: the key a metric cites -> the work it comes from."""

from __future__ import annotations

import re

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
    "hanley1983": "J. A. Hanley, B. J. McNeil (1983). A method of comparing the areas under "
    "receiver operating characteristic curves derived from the same cases. Radiology 148(3), "
    "839-843.",
    "bamber1975": "D. Bamber (1975). The area above the ordinal dominance graph and the area below "
    "the receiver operating characteristic graph. Journal of Mathematical Psychology 12(4), "
    "387-415.",
    "obuchowski1997": "N. A. Obuchowski (1997). Nonparametric analysis of clustered ROC curve "
    "data. Biometrics 53(2), 567-578.",
    "obuchowski1998": "N. A. Obuchowski (1998). Sample size calculations in studies of test "
    "accuracy. Statistical Methods in Medical Research 7(4), 371-392.",
    "delong1988": "E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988). Comparing the areas "
    "under two or more correlated receiver operating characteristic curves: a nonparametric "
    "approach. Biometrics 44(3), 837-845.",
    "connor1987": "R. J. Connor (1987). Sample size for testing differences in proportions for "
    "the paired-sample design. Biometrics 43(1), 207-211.",
    "duffy1984": "S. W. Duffy (1984). Asymptotic and exact power for the McNemar test and its "
    "analogue with R controls per case. Biometrics 40(4), 1005-1015.",
    "fagerland2013": "M. W. Fagerland, S. Lydersen, P. Laake (2013). The McNemar test for binary "
    "matched-pairs data: mid-p and asymptotic are better than exact conditional. BMC Medical "
    "Research Methodology 13, 91.",
    "chernick2002": "M. R. Chernick, C. Y. Liu (2002). The saw-toothed behavior of power versus "
    "sample size and software solutions: single binomial proportion using exact methods. The "
    "American Statistician 56(2), 149-155.",
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
    "yule1900": "G. U. Yule (1900). On the association of attributes in statistics. Philosophical "
    "Transactions of the Royal Society A 194, 257-319.",
    "yule1912": "G. U. Yule (1912). On the methods of measuring association between two "
    "attributes. Journal of the Royal Statistical Society 75(6), 579-652.",
    "ferro2011": "C. A. T. Ferro, D. B. Stephenson (2011). Extremal dependence indices: improved "
    "verification measures for deterministic forecasts of rare binary events. Weather and "
    "Forecasting 26(5), 699-713.",
    "green1966": "D. M. Green, J. A. Swets (1966). Signal Detection Theory and Psychophysics.",
    "shannon1948": "C. E. Shannon (1948). A mathematical theory of communication. Bell System "
    "Technical Journal 27, 379-423.",
    "strehl2002": "A. Strehl, J. Ghosh (2002). Cluster ensembles: a knowledge reuse framework for "
    "combining multiple partitions. Journal of Machine Learning Research 3, 583-617.",
    "goodman1954": "L. A. Goodman, W. H. Kruskal (1954). Measures of association for cross "
    "classifications. Journal of the American Statistical Association 49(268), 732-764.",
    "wei2010": "J.-M. Wei, X.-J. Yuan, Q.-H. Hu, S.-Q. Wang (2010). A novel measure for "
    "evaluating classifiers. Expert Systems with Applications 37(5), 3799-3809.",
    "delgado2019": "R. Delgado, J. D. Nunez-Gonzalez (2019). Enhancing confusion entropy (CEN) "
    "for binary and multiclass classification. PLOS ONE 14(1), e0210264.",
    "bennett1954": "E. M. Bennett, R. Alpert, A. C. Goldstein (1954). Communications through "
    "limited-response questioning. Public Opinion Quarterly 18(3), 303-308.",
    "byrt1993": "T. Byrt, J. Bishop, J. B. Carlin (1993). Bias, prevalence and kappa. Journal of "
    "Clinical Epidemiology 46(5), 423-429.",
    "gwet2008": "K. L. Gwet (2008). Computing inter-rater reliability and its variance in the "
    "presence of high agreement. British Journal of Mathematical and Statistical Psychology "
    "61(1), 29-48.",
    "krippendorff2011": "K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. "
    "Departmental Papers (ASC), University of Pennsylvania.",
    "gilbert1884": "G. K. Gilbert (1884). Finley's tornado predictions. American Meteorological "
    "Journal 1, 166-172.",
    "schaefer1990": "J. T. Schaefer (1990). The critical success index as an indicator of warning "
    "skill. Weather and Forecasting 5(4), 570-575.",
    "drummond2006": "C. Drummond, R. C. Holte (2006). Cost curves: an improved method for "
    "visualizing classifier performance. Machine Learning 65(1), 95-130.",
    "vickers2006": "A. J. Vickers, E. B. Elkin (2006). Decision curve analysis: a novel method "
    "for evaluating prediction models. Medical Decision Making 26(6), 565-574.",
    "kerr2016": "K. F. Kerr, M. D. Brown, K. Zhu, H. Janes (2016). Assessing the clinical impact "
    "of risk prediction models with decision curves. Journal of Clinical Oncology 34(21), "
    "2534-2540.",
    "linn2006": "S. Linn, P. D. Grunau (2006). New patient-oriented summary measure of net total "
    "gain in certainty for dichotomous diagnostic tests. Epidemiologic Perspectives & Innovations "
    "3, 11.",
    "balayla2020": "J. Balayla (2020). Prevalence threshold and the geometry of screening curves. "
    "PLOS ONE 15(10), e0240215.",
    "sitarz2023": "M. Sitarz (2023). Extending F1 metric, probabilistic approach. Advances in "
    "Artificial Intelligence and Machine Learning 3(2), 1025-1038.",
    "garcia2009": "V. Garcia, R. A. Mollineda, J. S. Sanchez (2009). Index of balanced accuracy: "
    "a performance measure for skewed class distributions. IbPRIA 2009.",
    "flach2015": "P. Flach, M. Kull (2015). Precision-recall-gain curves: PR analysis done right. "
    "Advances in Neural Information Processing Systems 28.",
    "manning2008": "C. D. Manning, P. Raghavan, H. Schutze (2008). Introduction to Information "
    "Retrieval.",
    "mcclish1989": "D. K. McClish (1989). Analyzing a portion of the ROC curve. Medical Decision "
    "Making 9(3), 190-195.",
    "dodd2003": "L. E. Dodd, M. S. Pepe (2003). Partial AUC estimation and regression. Biometrics "
    "59(3), 614-623.",
    "provost2001": "F. Provost, T. Fawcett (2001). Robust classification for imprecise "
    "environments. Machine Learning 42(3), 203-231.",
    "provost2003": "F. Provost, P. Domingos (2003). Tree induction for probability-based ranking. "
    "Machine Learning 52(3), 199-215.",
    "kaymak2012": "U. Kaymak, A. Ben-David, R. Potharst (2012). The AUK: a simple alternative to "
    "the AUC. Engineering Applications of Artificial Intelligence 25(5), 1082-1089.",
    "hand2009": "D. J. Hand (2009). Measuring classifier performance: a coherent alternative to "
    "the area under the ROC curve. Machine Learning 77(1), 103-123.",
    "hand2014": "D. J. Hand, C. Anagnostopoulos (2014). A better beta for the H measure of "
    "classification performance. Pattern Recognition Letters 40, 41-46.",
    "hand2001": "D. J. Hand, R. J. Till (2001). A simple generalisation of the area under the ROC "
    "curve for multiple class classification problems. Machine Learning 45(2), 171-186.",
    "russakovsky2015": "O. Russakovsky and others (2015). ImageNet large scale visual recognition "
    "challenge. International Journal of Computer Vision 115(3), 211-252.",
    "brummer2006": "N. Brummer, J. du Preez (2006). Application-independent evaluation of speaker "
    "detection. Computer Speech & Language 20(2-3), 230-275.",
    "brummer2013": "N. Brummer, E. de Villiers (2013). The BOSARIS toolkit: theory, algorithms "
    "and code for surviving the new DCF.",
    "maio2002": "D. Maio, D. Maltoni, R. Cappelli, J. L. Wayman, A. K. Jain (2002). FVC2000: "
    "fingerprint verification competition. IEEE Transactions on Pattern Analysis and Machine "
    "Intelligence 24(3), 402-412.",
    "daugman2000": "J. Daugman (2000). Biometric decision landscapes. University of Cambridge "
    "Computer Laboratory, Technical Report 482.",
    "naeini2015": "M. P. Naeini, G. F. Cooper, M. Hauskrecht (2015). Obtaining well calibrated "
    "probabilities using Bayesian binning. AAAI 2015.",
    "kumar2019": "A. Kumar, P. Liang, T. Ma (2019). Verified uncertainty calibration. Advances in "
    "Neural Information Processing Systems 32.",
    "hosmer1980": "D. W. Hosmer, S. Lemeshow (1980). Goodness of fit tests for the multiple "
    "logistic regression model. Communications in Statistics A 9(10), 1043-1069.",
    "vancalster2019": "B. Van Calster, D. J. McLernon, M. van Smeden, L. Wynants, E. W. "
    "Steyerberg (2019). Calibration: the Achilles heel of predictive analytics. BMC Medicine 17, "
    "230.",
    "cox1958": "D. R. Cox (1958). Two further applications of a model for binary regression. "
    "Biometrika 45(3-4), 562-565.",
    "spiegelhalter1986": "D. J. Spiegelhalter (1986). Probabilistic prediction in patient "
    "management and clinical trials. Statistics in Medicine 5(5), 421-433.",
    "dimitriadis2021": "T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability "
    "diagrams for probabilistic classifiers. Proceedings of the National Academy of Sciences "
    "118(8), e2016191118.",
    "kattan2018": "M. W. Kattan, T. A. Gerds (2018). The index of prediction accuracy: an "
    "intuitive measure useful for evaluating risk prediction models. Diagnostic and Prognostic "
    "Research 2, 7.",
    "gneiting2007": "T. Gneiting, A. E. Raftery (2007). Strictly proper scoring rules, "
    "prediction, and estimation. Journal of the American Statistical Association 102(477), "
    "359-378.",
    "elkan2001": "C. Elkan (2001). The foundations of cost-sensitive learning. Proceedings of the "
    "17th International Joint Conference on Artificial Intelligence, 973-978.",
    "efron1983": "B. Efron (1983). Estimating the error rate of a prediction rule: improvement on "
    "cross-validation. Journal of the American Statistical Association 78(382), 316-331.",
    "newcombe1998": "R. G. Newcombe (1998). Interval estimation for the difference between "
    "independent proportions: comparison of eleven methods. Statistics in Medicine 17(8), 873-890.",
    "zou2008": "G. Y. Zou, A. Donner (2008). Construction of confidence limits about effect "
    "measures: a general approach. Statistics in Medicine 27(10), 1693-1702.",
    "fisher1935": "R. A. Fisher (1935). The logic of inductive inference. Journal of the Royal "
    "Statistical Society 98(1), 39-82.",
    "boschloo1970": "R. D. Boschloo (1970). Raised conditional level of significance for the 2 x "
    "2-table when testing the equality of two probabilities. Statistica Neerlandica 24(1), 1-35.",
    "wilson1927": "E. B. Wilson (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22(158), 209-212.",
    "simard2011": "R. Simard, P. L'Ecuyer (2011). Computing the two-sided Kolmogorov-Smirnov "
    "distribution. Journal of Statistical Software 39(11), 1-18.",
    "campbell1994": "G. Campbell (1994). Advances in statistical methodology for the evaluation of "
    "diagnostic and laboratory tests. Statistics in Medicine 13(5-7), 499-508.",
    "macskassy2005": "S. A. Macskassy, F. Provost, S. Rosset (2005). ROC confidence bands: an "
    "empirical evaluation. Proceedings of the 22nd International Conference on Machine Learning, "
    "537-544.",
    "gu2008": "J. Gu, S. Ghosal, A. Roy (2008). Bayesian bootstrap estimation of ROC curve. "
    "Statistics in Medicine 27(26), 5407-5420.",
    "wilcoxon1945": "F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics "
    "Bulletin 1(6), 80-83.",
    "hodges1963": "J. L. Hodges, E. L. Lehmann (1963). Estimates of location based on rank tests. "
    "The Annals of Mathematical Statistics 34(2), 598-611.",
    "dietterich1998": "T. G. Dietterich (1998). Approximate statistical tests for comparing "
    "supervised classification learning algorithms. Neural Computation 10(7), 1895-1923.",
    "alpaydin1999": "E. Alpaydin (1999). Combined 5 x 2 cv F test for comparing supervised "
    "classification learning algorithms. Neural Computation 11(8), 1885-1892.",
    "nadeau2003": "C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine "
    "Learning 52(3), 239-281.",
    "bouckaert2004": "R. R. Bouckaert, E. Frank (2004). Evaluating the replicability of "
    "significance tests for comparing learning algorithms. PAKDD 2004.",
    "friedman1937": "M. Friedman (1937). The use of ranks to avoid the assumption of normality "
    "implicit in the analysis of variance. Journal of the American Statistical Association "
    "32(200), 675-701.",
    "iman1980": "R. L. Iman, J. M. Davenport (1980). Approximations of the critical region of the "
    "Friedman statistic. Communications in Statistics A 9(6), 571-595.",
    "nemenyi1963": "P. B. Nemenyi (1963). Distribution-free multiple comparisons. PhD thesis, "
    "Princeton University.",
    "holm1979": "S. Holm (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6(2), 65-70.",
    "demsar2006": "J. Demsar (2006). Statistical comparisons of classifiers over multiple data "
    "sets. Journal of Machine Learning Research 7, 1-30.",
    "benavoli2014": "A. Benavoli, G. Corani, F. Mangili, M. Zaffalon, F. Ruggeri (2014). A "
    "Bayesian Wilcoxon signed-rank test based on the Dirichlet process. ICML 2014.",
    "corani2015": "G. Corani, A. Benavoli (2015). A Bayesian approach for comparing "
    "cross-validated algorithms on multiple data sets. Machine Learning 100(2-3), 285-304.",
    "benavoli2016": "A. Benavoli, G. Corani, F. Mangili (2016). Should we really use post-hoc "
    "tests based on mean-ranks? Journal of Machine Learning Research 17(5), 1-10.",
    "benavoli2017": "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon (2017). Time for a change: a "
    "tutorial for comparing multiple classifiers through Bayesian analysis. Journal of Machine "
    "Learning Research 18(77), 1-36.",
}


def cite(source: str) -> str:
    """Return the work behind a key, or a citation as it was given."""
    return SOURCES.get(source, source)


def authors(source: str) -> str:
    """Return a citation in short: the first author and the year.

    >>> authors("vancalster2019"), authors("liu2014")
    ('Van Calster 2019', 'Liu 2014')
    """
    told = cite(source)
    first = told.split(" (")[0].split(",")[0].split(" and ")[0]
    surname = " ".join(w for w in first.split() if not w.endswith("."))
    year = re.search(r"\((\d{4})\)", told)
    return f"{surname} {year[1]}" if year else surname
