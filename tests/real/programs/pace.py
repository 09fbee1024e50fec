"""Sleeps until moments that are counted from the start, so the time that I/O takes does not shift them."""
import time

BEGUN = time.monotonic()


def sleep_until(seconds):
    time.sleep(max(0.0, BEGUN + seconds - time.monotonic()))
