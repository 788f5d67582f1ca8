
"use strict";
const rows = Array.from(document.querySelectorAll("main .row[id]"));
const choice = (id) => document.getElementById(id).value;

function matches(row) {
  const { session, method, severity } = row.dataset;
  const wanted = choice("severity");
  return (choice("session") === "" || session === choice("session")) &&
    (choice("method") === "" || method === choice("method")) &&
    (wanted === "" || (wanted === "any" ? severity !== "none" : row.querySelector(".finding." + wanted) !== null));
}

function apply() {
  let shown = 0;
  for (const row of rows) {
    row.hidden = !matches(row);
    if (!row.hidden) shown++;
  }
  document.getElementById("shown").textContent = shown + " of " + rows.length + " frames";
}

let at = -1;
function next() {
  const found = rows.filter((row) => !row.hidden && row.dataset.severity !== "none");
  if (found.length === 0) return;
  at = (at + 1) % found.length;
  location.hash = found[at].id;
}

// A link to a frame that is filtered out shows it.
function reveal() {
  const row = rows.find((r) => "#" + r.id === location.hash);
  if (row && row.hidden) {
    row.hidden = false;
    row.scrollIntoView();
  }
}

for (const id of ["session", "method", "severity"]) document.getElementById(id).addEventListener("change", () => { at = -1; apply(); });
document.getElementById("next").addEventListener("click", next);
document.getElementById("expand").addEventListener("click", (event) => {
  const open = event.target.textContent === "Expand all";
  for (const row of rows) if (!row.hidden) row.querySelector("details").open = open;
  event.target.textContent = open ? "Collapse all" : "Expand all";
});
addEventListener("hashchange", reveal);
apply();
