class BadCommit(Exception):
    pass
