// The one script. Every page works without it: it only keeps pages fresh, tells times anew and
// copies. It runs no text of anybody's and asks nobody but this server.
(() => {
  "use strict";
  const main = document.getElementById("content");
  if (!main) return;
  const told = document.createElement("p");
  told.className = "hidden";
  told.setAttribute("role", "status");
  document.body.append(told);

  // Times: as the server words them.
  const ago = (at) => {
    const s = (Date.now() - at) / 1000;
    if (s < 2) return "now";
    if (s < 60) return Math.floor(s) + " s ago";
    if (s < 3600) return Math.floor(s / 60) + " min ago";
    if (s < 86400) return Math.floor(s / 3600) + " h ago";
    if (s < 172800) return "yesterday";
    return Math.floor(s / 86400) + " days ago";
  };
  const retell = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const at = Date.parse(time.dateTime), past = Date.now() - at;
      if (past >= 0 && past < 604800000) time.textContent = ago(at);
    }
  };
  setInterval(retell, 30000);

  // Copy: a button for each block that is there to be copied.
  const copies = () => {
    if (!navigator.clipboard) return;
    for (const block of main.querySelectorAll(".copy:not(:has(> button))")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn tiny";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(block.querySelector("pre").textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
      });
      block.append(button);
    }
  };
  copies();

  // Keys: / goes to the search of the page, Ctrl K to the one of everything.
  const everything = document.querySelector(".find input[type=search]");
  if (everything) {
    const hint = document.createElement("kbd");
    hint.textContent = "Ctrl K";
    everything.after(hint);
  }
  document.addEventListener("keydown", (e) => {
    if (!everything || e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return;
    e.preventDefault();
    if (everything.checkVisibility()) everything.select();
    else document.querySelector(".find-phone").click();
  });
  document.addEventListener("keydown", (e) => {
    if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select")) return;
    const search = main.querySelector("input[type=search]");
    if (search) { e.preventDefault(); search.focus(); }
  });

  // Live: the server says that something changed, and the page asks for itself.
  let stream, waits = false, asking = false, poll;
  const busy = () => {
    const at = document.activeElement;
    const selected = getSelection();
    return (at && at !== main && main.contains(at)) || main.querySelector("details[open] form, dialog[open]") !== null ||
      [...main.querySelectorAll("input:not([type=hidden]), textarea")].some((f) => f.type === "checkbox" ? f.checked !== f.defaultChecked : f.value !== f.defaultValue) ||
      (selected && !selected.isCollapsed && main.contains(selected.anchorNode));
  };
  const offer = () => {
    if (document.getElementById("changed")) return;
    const button = document.createElement("button");
    button.id = "changed";
    button.type = "button";
    button.className = "btn main changed";
    button.textContent = "Something changed. Show";
    button.addEventListener("click", () => { button.remove(); refresh(true); });
    document.body.append(button);
  };
  const swap = (fresh) => {
    const logs = [...main.querySelectorAll(".log")].map((l) => [l.scrollTop, l.scrollTop + l.clientHeight >= l.scrollHeight - 4]);
    const before = main.querySelector("h1")?.innerText, top = scrollY;
    main.replaceChildren(...fresh.childNodes);
    main.querySelectorAll(".log").forEach((l, i) => { l.scrollTop = !logs[i] || logs[i][1] ? l.scrollHeight : logs[i][0]; });
    scrollTo(0, top);
    copies();
    const after = main.querySelector("h1")?.innerText;
    if (after && after !== before) told.textContent = after.replaceAll("\n", ": ");
    if (fresh.dataset.live) main.dataset.live = fresh.dataset.live;
    else delete main.dataset.live;
  };
  const refresh = async (forced) => {
    if (asking) { waits = true; return; }
    if (!forced && busy()) { offer(); return; }
    asking = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("content");
      if (!answer.ok || answer.redirected || !fresh) { close(); return; }
      if (!forced && busy()) offer();
      else { document.getElementById("changed")?.remove(); swap(fresh); }
    } catch { /* the stream says when the server is there again */ } finally {
      asking = false;
      if (waits) { waits = false; setTimeout(refresh, 500); }
    }
  };
  const close = () => { stream?.close(); stream = undefined; clearInterval(poll); poll = undefined; };
  const open = () => {
    if (stream || !main.dataset.live || document.hidden) return;
    stream = new EventSource(main.dataset.live);
    stream.addEventListener("changed", () => setTimeout(refresh, Math.random() * 500));
    stream.addEventListener("end", close);
    stream.addEventListener("open", () => { clearInterval(poll); poll = undefined; });
    stream.addEventListener("error", () => {
      if (stream && stream.readyState === EventSource.CLOSED) { // it was refused: look by ourselves
        close();
        poll = setInterval(refresh, 15000);
      }
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else { retell(); open(); }
  });
  addEventListener("pagehide", close);
  open();
})();
