def is_of_others(nodeid):
    return "test_calibration.py" in nodeid and "calibration_curve" not in nodeid
