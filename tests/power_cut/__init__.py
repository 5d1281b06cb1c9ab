"""Power that is cut at any moment of an operation, with whatever the disk had not been told to keep.

recorder.py writes down what an operation does to files; disk.py is the model of what a cut leaves of that;
test_operations.py lays each such disk out, and lets the next command find it.
"""
