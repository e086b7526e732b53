// The script of every page, which works without it: it only keeps pages fresh, tells times anew and
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
    for (const time of document.querySelectorAll("time[datetime]:not(.whole)")) {
      const at = Date.parse(time.dateTime), past = Date.now() - at, here = new Date(at);
      if (here.getTimezoneOffset() && !time.title.includes(" here")) time.title += ", " + here.toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) + " here";
      if (past >= 0 && past < 604800000 && !time.closest(".came")) time.textContent = ago(at);
    }
  };
  retell();
  setInterval(retell, 30000);

  // Menus: one that would leave the window opens to its other side.
  const inside = (menu) => {
    const drop = menu.querySelector(":scope > .drop"), at = drop?.getBoundingClientRect();
    if (at && (at.left < 0 || at.right > document.documentElement.clientWidth)) drop.classList.toggle("end", at.left >= 0);
  };
  document.addEventListener("toggle", (e) => { if (e.target.matches("details.facet[open]")) inside(e.target); }, true);
  document.querySelectorAll("details.facet[open]").forEach(inside);
  // Where nothing hovers, a touch says the whole of a time for a while.
  document.addEventListener("click", (e) => {
    const time = e.target.closest("time[title]:not(.whole)"), said = time?.textContent;
    if (!time || e.target.closest("a, button, summary, label") || matchMedia("(hover: hover)").matches) return;
    time.classList.add("whole");
    time.textContent = time.title;
    setTimeout(() => { time.classList.remove("whole"); time.textContent = said; retell(); }, 6000);
  });

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

  // A form is sent once, however often its button is clicked while the answer is on its way.
  addEventListener("submit", (e) => {
    const sent = Number(e.target.dataset.sent ?? 0);
    if (e.target.getAttribute("method") !== "post" || e.defaultPrevented) return;
    if (Date.now() - sent < 2000) e.preventDefault();
    else e.target.dataset.sent = Date.now();
  });

  // The theme changes where one is: what is typed stays.
  const themes = { "": "light", light: "dark", dark: "" }, called = (theme) => theme || "as the system";
  document.querySelector("form[action='/app/~/theme']")?.addEventListener("submit", (e) => {
    e.preventDefault();
    const form = e.target, button = form.querySelector("button"), theme = button.value, body = new URLSearchParams(new FormData(form));
    body.set("theme", theme);
    fetch(form.action, { method: "POST", body, redirect: "manual" }).then((answer) => {
      if (answer.type !== "opaqueredirect") throw answer;
      document.documentElement.dataset.theme = theme;
      button.value = themes[theme];
      button.querySelector(".hidden").textContent = "Theme: " + called(theme) + "; change to " + called(themes[theme]);
    }).catch(() => { // the server says what is wrong
      form.append(make("input", { type: "hidden", name: "theme", value: theme }));
      form.submit();
    });
  });

  // Keys: / goes to the search of the page, Ctrl K to the one of everything.
  const everything = document.querySelector(".find input[type=search]");
  if (everything) {
    const hint = document.createElement("kbd");
    hint.textContent = "Ctrl K";
    everything.after(hint);
  }
  const make = (kind, settings, ...inner) => {
    const node = document.createElement(kind);
    for (const [name, value] of Object.entries(settings)) node.setAttribute(name, value);
    node.append(...inner);
    return node;
  };

  // What was gone to lately from the palette, of whoever is signed in; signing out forgets it.
  const me = document.querySelector(".me .drop strong")?.textContent;
  const recent = () => {
    try {
      const kept = JSON.parse(localStorage.getItem("recent") ?? "{}");
      return kept.of === me ? kept.list : [];
    } catch { return []; }
  };
  const remember = (text, to) => localStorage.setItem("recent", JSON.stringify({ of: me, list: [{ text, to }, ...recent().filter((r) => r.to !== to)].slice(0, 6) }));
  if (!me) localStorage.removeItem("recent");

  // The palette: the search page, asked at each pause, as a list that the arrows walk through.
  let palette;
  const paletteMade = () => {
    const field = make("input", { type: "search", role: "combobox", maxlength: 200, "aria-label": "Search or jump to", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", placeholder: "A name, a tag, an id…", autocapitalize: "none", spellcheck: "false", autocomplete: "off" });
    const list = make("div", { id: "palette-list", role: "listbox", "aria-label": "What is found" });
    const note = make("p", { class: "palette-foot", role: "status" });
    const dialog = make("dialog", { class: "palette", "aria-label": "Search" }, field, list, note);
    const help = "Arrows move, Enter opens, Ctrl Enter in a new tab, Esc closes. > actions, # tags, @ people, : settings";
    let at = -1, asked = 0, pause;
    const options = () => [...list.querySelectorAll("[role=option]")];
    const mark = (n) => {
      const all = options();
      at = all.length ? (n + all.length) % all.length : -1;
      all.forEach((o, i) => o.setAttribute("aria-selected", String(i === at)));
      if (at < 0) { field.removeAttribute("aria-activedescendant"); return; }
      field.setAttribute("aria-activedescendant", all[at].id);
      all[at].scrollIntoView({ block: "nearest" });
    };
    const option = (text, more, to, n, form, icon) => {
      const o = make("div", { role: "option", id: "palette-" + n, "aria-selected": "false" }, ...(icon ? [icon] : []), make("span", {}, ...found(text)), make("span", { class: "faint small" }, more));
      o.dataset.to = to;
      o.form = form;
      return o;
    };
    // What was typed stands out in what it found.
    const found = (text) => {
      const words = field.value.trim().replace(/^[>#@:]\s*/, ""), at = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
      return at < 0 ? [text] : [text.slice(0, at), make("b", {}, text.slice(at, at + words.length)), text.slice(at + words.length)];
    };
    const group = (title, ...options) => make("div", { role: "group", "aria-label": title }, make("p", { class: "nav-title", "aria-hidden": "true" }, title), ...options);
    const ask = async () => {
      const mine = ++asked, words = field.value.trim(), address = new URL("/app/~/search", location.href);
      address.searchParams.set("q", words);
      const place = everything.form.elements.namedItem("in");
      if (place) { address.searchParams.set("in", place.value); address.searchParams.set("at", location.pathname); }
      try {
        const answer = await fetch(address, { headers: { Accept: "text/html" } });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (mine !== asked) return;
        let n = 0;
        if (!answer.ok) throw new Error();
        if (answer.redirected && !new URL(answer.url).pathname.endsWith("/~/search")) {
          list.replaceChildren(option("Open " + words, "", answer.url, n++));
        } else {
          const lately = words ? [] : recent().map((r) => option(r.text, "", r.to, n++));
          list.replaceChildren(...(lately.length ? [group("Recent", ...lately)] : []), ...[...page.querySelectorAll("#content section[aria-labelledby]")].map((s) =>
            group(s.querySelector("h2").textContent, ...[...s.querySelectorAll(".links li")].map((l) => {
              const way = l.querySelector("a, button");
              return option(way.textContent, l.querySelector("a + span")?.textContent ?? "", way.href ?? "", n++, l.querySelector("form"), way.querySelector("svg"));
            }))));
          const more = page.querySelector("#content .card-foot a");
          if (more && words) list.append(option(more.textContent, "", more.href, n++));
        }
        note.textContent = n ? help : "Nothing that you see is called so.";
        mark(0);
      } catch { note.textContent = "The server did not answer."; }
    };
    const go = (away) => {
      const chosen = options()[at], to = chosen?.dataset.to;
      if (chosen?.form) {
        chosen.form.hidden = true;
        document.body.append(document.adoptNode(chosen.form));
        chosen.form.submit();
        return;
      }
      if (!to || new URL(to).origin !== location.origin) return;
      remember(chosen.querySelector("span").textContent, to);
      if (away) open(to, "_blank", "noopener");
      else location.assign(to);
      dialog.close();
    };
    field.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(ask, 80); });
    dialog.addEventListener("keydown", (e) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
      if (step) { e.preventDefault(); mark(at + step); }
      if (e.key === "Enter") { e.preventDefault(); go(e.ctrlKey || e.metaKey); }
    });
    dialog.addEventListener("click", (e) => {
      if (e.target === dialog) { dialog.close(); return; }
      const o = e.target.closest("[role=option]");
      if (o) { at = options().indexOf(o); go(e.ctrlKey || e.metaKey); }
    });
    document.body.append(dialog);
    return () => { dialog.showModal(); field.select(); ask(); };
  };
  document.addEventListener("keydown", (e) => {
    if (!everything || e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return;
    e.preventDefault();
    (palette ??= paletteMade())();
  });

  // Single keys, which can be turned off: rows, tabs, ways to other pages, and what keys there are.
  const quiet = () => document.documentElement.dataset.keys === "off";
  const rows = (step) => {
    const all = [...main.querySelectorAll(".table tbody tr, .inbox > li, .links > li")].filter((r) => r.querySelector("a") && r.checkVisibility());
    const at = all.findIndex((r) => r.contains(document.activeElement));
    all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)]?.querySelector("a").focus();
  };
  // What a key stands for on this page is pressed or folded out, and its first field is gone to.
  const fold = (key) => {
    const one = [...main.querySelectorAll(`[data-key="${key}"]`)].find((e) => e.checkVisibility());
    if (one?.matches("select")) one.focus(); else one?.click();
    if (one?.matches("summary") && one.parentElement.open) one.parentElement.querySelector("input:not([type=hidden]), select, textarea, button")?.focus();
  };
  // What one goes through on a page: changes of a plan, and what its logs tell of. A line of a log stands for what is told of it.
  const stops = (step) => {
    const all = [...main.querySelectorAll("details.res > summary, .log-index a")].filter((s) => s.checkVisibility());
    const line = (s) => s.hash?.startsWith("#log-") && s.getAttribute("href").startsWith("#") ? document.getElementById(s.hash.slice(1)) : null;
    const on = document.activeElement?.closest(".log li") ?? document.activeElement?.closest("summary, a");
    let at = all.findIndex((s) => on && (s === on || line(s) === on));
    if (at < 0 && location.hash) at = all.findIndex((s) => s.hash === location.hash);
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
    if (!next) return all.length > 0;
    const there = line(next)?.querySelector("a");
    if (next.matches("summary") || there) (there ?? next).focus();
    else next.click();
    return true;
  };
  const logEnd = (end) => {
    const log = document.activeElement?.closest(".card")?.querySelector(".log") ?? main.querySelector(".log");
    if (!log) return false;
    log.scrollTop = end ? log.scrollHeight : 0;
    log.parentElement.focus({ preventScroll: true });
    log.parentElement.scrollIntoView({ block: "nearest" });
    return true;
  };
  // Ticks: how many there are, none of them, and all between two.
  let lastTick;
  const tick = (box, range) => {
    if (!box) return;
    const all = [...main.querySelectorAll("tbody .box input")], from = all.indexOf(lastTick), to = all.indexOf(box);
    box.click();
    if (range && from >= 0) for (const b of all.slice(Math.min(from, to), Math.max(from, to) + 1)) b.checked = box.checked;
    lastTick = box;
    ticks();
  };
  const ticks = () => {
    const bar = main.querySelector(".bulk"), said = bar?.querySelector("[data-ticked]");
    if (!said) return;
    const whole = main.querySelector("thead .box input:checked"), n = main.querySelectorAll("tbody .box input:checked").length;
    if (whole || n) said.textContent = (whole ? Number(whole.value).toLocaleString("en") : n) + " selected";
    if (!bar.querySelector("[data-clear]")) {
      const none = make("button", { type: "button", class: "btn", "data-clear": "", "aria-label": "Select none" }, "✕");
      none.addEventListener("click", () => { for (const b of main.querySelectorAll(".box input")) b.checked = false; ticks(); });
      bar.append(none);
    }
  };
  main.addEventListener("change", (e) => {
    if (!e.target.closest(".box")) return;
    const whole = main.querySelector("thead .box input"); // it counts without the rows: one that is left out ends it
    if (e.target === whole) for (const b of main.querySelectorAll("tbody .box input[type=checkbox]")) b.checked = whole.checked;
    else if (whole && !e.target.checked) whole.checked = false;
    lastTick = e.target; ticks();
  });
  main.addEventListener("click", (e) => {
    if (!e.shiftKey || !e.target.matches("tbody .box input") || !lastTick || lastTick === e.target) return;
    const all = [...main.querySelectorAll("tbody .box input")], from = all.indexOf(lastTick), to = all.indexOf(e.target);
    if (from >= 0) for (const b of all.slice(Math.min(from, to), Math.max(from, to) + 1)) b.checked = e.target.checked;
  });
  ticks(); main.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" }); // on a phone they are wider than the page
  const click = (s) => document.querySelector(s)?.click();
  const keys = {
    j: ["next row", () => rows(1)], k: ["row before", () => rows(-1)],
    x: ["tick the row", () => tick(document.activeElement.closest("tr")?.querySelector(".box input"), false)],
    X: ["tick the rows up to here", () => tick(document.activeElement.closest("tr")?.querySelector(".box input"), true)],
    "]": ["next tab", () => main.querySelector(".tabs [aria-current]")?.nextElementSibling?.click()],
    "[": ["tab before", () => main.querySelector(".tabs [aria-current]")?.previousElementSibling?.click()],
    c: ["confirm or decide; columns of a list; compare a state", () => { const why = document.getElementById("why"); if (why) why.focus(); else fold("c"); }],
    l: ["lock, or unlock", () => fold("l")], f: ["file a change request", () => fold("f")], v: ["save the view", () => fold("v")],
    n: ["new; next change or error of a run", () => stops(1) || fold("n")], p: ["change or error before", () => stops(-1)],
    o: ["open all changes, or close them", () => { const all = [...main.querySelectorAll("details.res")], open = all.some((d) => !d.open); for (const d of all) d.open = open; }],
    d: ["discard a plan", () => main.querySelector("button[formaction$='/discard']")?.focus()],
    L: ["the log", () => main.querySelector(".log")?.parentElement.focus()], F: ["follow the log", () => main.querySelector("button.follow")?.click()],
    G: ["end of the log; graph of a state", () => { if (!logEnd(true)) { fold("G"); document.getElementById("graph")?.closest(".card").querySelector("[role=region]")?.focus(); } }],
    ArrowLeft: ["version of a state before", () => fold("ArrowLeft")], ArrowRight: ["next version of a state", () => fold("ArrowRight")],
    e: ["not now: leave it out for a day", () => document.activeElement.closest("li")?.querySelector("[name=later]")?.click()],
    r: ["start a run", () => fold("r")], "+": ["another condition of a question", () => fold("+")], s: ["save a question", () => fold("s")], a: ["archive those ticked", () => main.querySelector("[data-key=a]")?.focus()],
    t: ["light, dark or as the system", () => click(".top-right button[name=theme]")],
    "/": ["search of the page", () => main.querySelector("input[type=search]")?.focus()], "?": ["these keys", () => helped()],
  };
  const ways = { h: "Home", w: "Workspaces", r: "Runs", c: "Changes", e: "Explorer", p: "Projects" };
  const helped = () => {
    const close = make("button", { type: "button", class: "btn" }, "Close");
    const all = [["Ctrl K", "search or jump to"], ["Ctrl Enter", "ask the question"], ...Object.entries(keys).map(([key, [what]]) => [{ ArrowLeft: "←", ArrowRight: "→" }[key] ?? key, what]), ...Object.entries(ways).map(([key, to]) => ["g " + key, to]), ["g g", "beginning of the log"]];
    const dialog = make("dialog", { class: "palette keys", "aria-label": "Keys" }, make("h2", {}, "Keys"),
      make("dl", { class: "facts" }, ...all.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])),
      make("p", {}, quiet() ? "Only Ctrl K and ? work: single keys are off. " : "", make("a", { href: "/app/~/profile#looks" }, quiet() ? "Turn them on" : "Turn single keys off")), close);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  let going = 0;
  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) e.target.closest("form.query")?.requestSubmit();
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input:not([type=checkbox]), textarea, select, dialog")) return;
    if (quiet() && e.key !== "?") return;
    const way = ways[e.key];
    if (way && Date.now() - going < 1500) {
      e.preventDefault();
      [...document.querySelectorAll(".side .nav a")].find((a) => a.querySelector("span")?.textContent === way)?.click();
    } else if (e.key === "g") {
      if (Date.now() - going < 1500 && logEnd(false)) going = 0;
      else going = Date.now();
      return;
    } else if (keys[e.key] && !(e.key.startsWith("Arrow") && (e.shiftKey || e.target.closest(".scroll, details")))) {
      e.preventDefault();
      keys[e.key][1]();
    }
    going = 0;
  });

  // Live: the server says that something changed, and the page asks for itself.
  let stream, waits = false, asking = false, poll;
  const busy = () => {
    const at = document.activeElement;
    const selected = getSelection();
    return (at && at !== main && main.contains(at) && !at.matches("[role=region], .copy > button")) || main.querySelector("details[open] form, dialog[open]") !== null ||
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
  // A log that grows is followed at its end, until somebody scrolls up: then it says how much came.
  const atEnd = (l) => l.scrollTop + l.clientHeight >= l.scrollHeight - 4;
  const lastOf = (l) => Number(l.lastElementChild?.querySelector("a")?.textContent ?? 0);
  const follow = (seen = {}) => {
    for (const log of main.querySelectorAll(".log[data-grows]")) {
      const name = log.parentElement.getAttribute("aria-label"), known = seen[name];
      let read = known && !known.end ? known.read : lastOf(log);
      const button = make("button", { type: "button", class: "btn tiny bare follow" });
      const tell = () => {
        if (atEnd(log)) read = lastOf(log);
        const more = lastOf(log) - read;
        button.textContent = atEnd(log) ? "Following" : more > 0 ? more + " new lines" : "Follow";
        log.dataset.read = read;
      };
      button.addEventListener("click", () => { log.scrollTop = log.scrollHeight; log.parentElement.focus({ preventScroll: true }); });
      log.addEventListener("scroll", tell);
      log.closest(".card").querySelector(".card-head").append(button);
      if (!known && !location.hash) log.scrollTop = log.scrollHeight;
      tell();
    }
  };
  follow();
  const swap = (fresh) => {
    const seen = {}, held = document.activeElement?.matches("[role=region]") ? document.activeElement.getAttribute("aria-label") : "";
    for (const l of main.querySelectorAll(".log")) seen[l.parentElement.getAttribute("aria-label")] = { top: l.scrollTop, end: atEnd(l), read: Number(l.dataset.read ?? 0) };
    const copied = [...main.querySelectorAll(".copy > button")].indexOf(document.activeElement);
    const before = main.querySelector("h1")?.innerText, top = scrollY;
    const unfolded = [...main.querySelectorAll("details[id][open]")].map((d) => d.id);
    main.replaceChildren(...fresh.childNodes);
    for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
    for (const region of main.querySelectorAll("[role=region]")) {
      const name = region.getAttribute("aria-label"), l = region.querySelector(".log"), was = seen[name];
      if (l) l.scrollTop = !was || was.end ? l.scrollHeight : was.top;
      if (held && name === held) region.focus({ preventScroll: true });
    }
    scrollTo(0, top);
    copies();
    if (copied >= 0) main.querySelectorAll(".copy > button")[copied]?.focus({ preventScroll: true });
    ticks();
    follow(seen);
    retell();
    const after = main.querySelector("h1")?.innerText;
    const arrived = main.querySelector("[data-tell]")?.innerText;
    if (arrived) told.textContent = arrived;
    else if (after && after !== before) told.textContent = after.replaceAll("\n", ": ");
    if (fresh.dataset.live) main.dataset.live = fresh.dataset.live;
    else delete main.dataset.live;
  };
  const refresh = async (forced) => {
    if (asking) { waits = true; return; }
    if (!forced && (busy() || main.dataset.offers !== undefined || main.dataset.calm !== undefined && scrollY > 40)) { offer(); return; }
    asking = true;
    try {
      const answer = await fetch(main.dataset.self ?? location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("content");
      if (!answer.ok || answer.redirected || !fresh) { close(); return; }
      if (!forced && busy()) offer();
      else {
        document.getElementById("changed")?.remove();
        swap(fresh);
        const side = document.querySelector(".nav-main"), now = page.querySelector(".nav-main");
        if (side && now && !side.contains(document.activeElement)) side.replaceWith(now);
      }
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
