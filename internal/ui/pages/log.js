// What the page of a run adds to its logs. Without it lines are named in addresses by hand.
(() => {
  "use strict";
  const main = document.getElementById("content");
  // Lines of a log as an address: #L120 and #L120-L140 name them, a click on a number one, with Shift all up to it. The
  // server shows them where they are not on the page.
  const logOf = (kind) => document.getElementById("log-" + kind)?.closest(".card").querySelector(".log");
  const toLines = () => {
    const named = location.hash.match(/^#(?:log-(plan|apply)-|L)(\d+)(?:-L?(\d+))?$/);
    if (!named) return;
    const asked = new URLSearchParams(location.search), kind = named[1] ?? asked.get("log") ?? (logOf("apply") ? "apply" : "plan");
    const [first, last] = [Number(named[2]), Number(named[3] ?? named[2])].sort((a, b) => a - b), id = "log-" + kind + "-";
    const there = document.getElementById(id + first);
    if (there && !named[3] && named[1]) return;
    const way = new URLSearchParams({ log: kind, lines: first === last ? first : first + "-" + last });
    if (asked.get("log") === kind && asked.get("lines") === way.get("lines") && !there) return; // it is not there
    location.replace("?" + way + "#" + id + first);
  };
  let lastLine;
  main.addEventListener("click", (e) => {
    const number = e.target.closest(".log li[id] > a");
    if (!number || e.ctrlKey || e.metaKey || e.altKey) return;
    const line = number.parentElement, log = line.parentElement, all = [...log.children], kind = line.id.split("-")[1];
    const lit = all.filter((l) => l.matches(".lit")), from = lastLine && all.includes(lastLine) ? lastLine : lit[0] ?? log.querySelector("li:target");
    const way = new URLSearchParams(location.search);
    for (const l of lit) l.classList.remove("lit");
    way.delete("lines");
    if (!e.shiftKey || !from) {
      lastLine = line;
      if (lit.length) history.replaceState(null, "", "?" + way); // the browser adds the line
      return;
    }
    e.preventDefault();
    const [first, last] = [all.indexOf(from), all.indexOf(line)].sort((a, b) => a - b), some = all.slice(first, last + 1);
    for (const l of some) l.classList.add("lit");
    const numberOf = (l) => l.id.split("-")[2];
    way.delete("from");
    way.set("log", kind);
    way.set("lines", numberOf(some[0]) + "-" + numberOf(some.at(-1)));
    history.replaceState(null, "", "?" + way + "#" + some[0].id);
    const told = document.querySelector("p.hidden[role=status]");
    if (told) told.textContent = "Lines " + numberOf(some[0]) + " to " + numberOf(some.at(-1)) + " are in the address";
    getSelection().removeAllRanges();
  });
  addEventListener("hashchange", toLines);
  toLines();
})();
