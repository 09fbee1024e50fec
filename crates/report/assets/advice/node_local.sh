# Copy the input to memory or disks of the nodes once, before the program starts:
srun --ntasks-per-node=1 cp -r INPUT /tmp/
srun ./program /tmp/INPUT
