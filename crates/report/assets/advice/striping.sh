# Files created below this directory from now on lie on eight targets, in stripes of 4 MiB:
lfs setstripe -c 8 -S 4M DIRECTORY
# A file that is there already is moved:
lfs migrate -c 8 -S 4M FILE
