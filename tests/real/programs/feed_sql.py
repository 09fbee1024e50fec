"""SQL for sqlite3 on standard output: every second a transaction that inserts 10,240 rows of 1,000 bytes."""
from pace import sleep_until

ROWS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10240)"
print("CREATE TABLE t (b BLOB);", flush=True)
for batch in range(16):
    sleep_until(batch + 0.5)
    print(f"BEGIN; INSERT INTO t {ROWS} SELECT randomblob(1000) FROM n; COMMIT;", flush=True)
sleep_until(16)
