class BadCommit(Exception): pass
