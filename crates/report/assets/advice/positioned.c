/* The offset is part of the call: no seek, and several records at once. */
pwrite(file, records, n_records * sizeof records[0], first * sizeof records[0]);
pread(file, records, n_records * sizeof records[0], first * sizeof records[0]);
