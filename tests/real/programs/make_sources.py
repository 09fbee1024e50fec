"""Sources for the Makefile, one for each asset: make_sources.py FOLDER."""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
for asset in sorted(folder.glob("asset.*")):
    text = f'__asm__(".data\\n.incbin \\"{asset.name}\\"\\n");\n'
    (folder / f"part{asset.suffix[1:]}.c").write_text(text)
