#!/bin/bash
# A part of every paper, coarsely: every claim holds, every figure has its picture or table, and a browser shows the page
# without complaint.
. tests/robustness/support.bash
expect 0 "" "$carom" reproduce rattle lobatto/fig9 moreau/fig2 nsga/fig4 nsga/fig5 multisymplectic/fig4_4 multisymplectic/fig5_1 \
    comparison/slope_4 --quick --quiet --out "$scratch/report"
python3 - "$scratch/report" <<'CHECK' || wrong "the report"
import json, os, sys
folder = sys.argv[1]
report = json.load(open(os.path.join(folder, "report.json")))
papers = {paper["name"]: paper for paper in report["papers"]}
assert report["mode"] == "quick" and len(papers) == 6, papers.keys()
for paper in papers.values():
    for figure in paper["figures"]:
        assert "failure" not in figure, figure
        assert figure["assets"] or figure["name"].startswith("table"), figure["name"]
        for asset in figure["assets"]: assert os.path.getsize(os.path.join(folder, "assets", asset)) > 1000, asset
        for claim in figure["claims"]: assert claim["holds"] or not claim["checked"], claim
        assert figure["claims"] or paper["name"] == "comparison", figure["name"]
print(sum(len(f["claims"]) for p in papers.values() for f in p["figures"]), "claims")
CHECK
bash tests/robustness/browser.sh "$scratch/report"
code=$?
[ $code = 0 ] || [ $code = 77 ] || wrong "in a browser"
finish
