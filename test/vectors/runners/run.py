import sys
from base64 import b64decode

from verify import verify

for line in sys.stdin:
    secret, header, body, now = line.rstrip("\n").split("\t")
    valid = verify(secret, b64decode(header).decode(), b64decode(body), int(now))
    print("true" if valid else "false")
