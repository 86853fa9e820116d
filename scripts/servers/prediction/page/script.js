"use strict";
// Text goes into the page as text (textContent) and never as HTML.

const $ = (id) => document.getElementById(id);
const state = { tasks: [], task: null, answer: null, asked: null, gap: 0, why: null, shown: null, example: null, marks: null };

function element(name, settings, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(settings || {})) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((one) => one !== null && one !== undefined));
  return made;
}

async function ask(path, body) {
  const settings = body === undefined ? {} : {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
  };
  let answer, content;
  try {
    answer = await fetch(path, settings);
    content = await answer.json();
  } catch {
    throw ["The server does not answer; is it still running?"];
  }
  if (!answer.ok) throw (content.problems || []).map((one) => one.message);
  return content;
}

function tell(messages) {
  $("problems").replaceChildren(...(messages.length ? [element("ul", {}, ...messages.map((one) => element("li", {}, one)))] : []));
}

// The form --------------------------------------------------------------------------------------

const mode = () => document.querySelector("input[name=mode]:checked").value;

function setMode(name) {
  for (const one of document.querySelectorAll("input[name=mode]")) one.checked = one.value === name;
  $("text-fields").hidden = name !== "text";
  $("line-fields").hidden = name !== "lines";
}

function chooseTask(name) {
  const task = state.tasks.find((one) => one.name === name);
  state.task = task;
  const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });
  for (const one of document.querySelectorAll(".side")) {
    const code = task[`${one.dataset.side}_language`];
    let language = code;
    try { language = names.of(code); } catch { /* a code that browsers do not know */ }
    one.textContent = `${one.dataset.side === "source" ? "Source" : "Target"} (${language})`;
  }
  for (const [side, ids] of [["source", ["source", "context-source"]], ["target", ["target", "context-target"]]])
    for (const id of ids) $(id).lang = task[`${side}_language`];
  $("about").textContent = `${task.systems.map((one) => one.name).join(", ")} · classes: ${task.classes.join(", ")}`;
  $("lacks").hidden = task.text;
  $("lacks").textContent = task.text ? "" : `Text cannot be typed for ${task.name}, only lines: ${task.text_lacks}`;
  document.querySelector("input[value=text]").disabled = !task.text;
  if (!task.text) setMode("lines");
  const groups = new Map();
  for (const one of task.examples) {
    if (one.group === "text" && !task.text) continue;
    if (!groups.has(one.group)) groups.set(one.group, []);
    groups.get(one.group).push(element("option", { value: one.name }, one.title.length > 110 ? `${one.title.slice(0, 109)}…` : one.title));
  }
  $("example").replaceChildren(element("option", { value: "" }, "—"),
    ...[...groups].map(([group, options]) => element("optgroup", { label: group === "text" ? "sentence pairs" : `lines of ${group}` }, ...options)));
  clear();
}

async function chooseExample(name) {
  if (!name) return;
  try {
    const found = await ask(`api/examples/${encodeURIComponent(state.task.name)}/${encodeURIComponent(name)}`);
    if (found.lines) {
      setMode("lines");
      $("lines").value = found.lines.join("\n");
      state.example = found.name;
    } else {
      setMode("text");
      $("source").value = found.text.source;
      $("target").value = found.text.target;
      $("context-source").value = found.text.context.map((one) => one.source).join("\n");
      $("context-target").value = found.text.context.map((one) => one.target).join("\n");
      $("before").open = found.text.context.length > 0;
      state.example = null;
    }
    state.marks = null;
    await predict();
  } catch (problems) { report(problems); }
}

function rows(id) {
  return $(id).value.split("\n").map((one) => one.trim()).filter((one) => one);
}

function request() {
  const base = { task: state.task.name };
  if (mode() === "lines") {
    if (state.example) return { ...base, example: state.example };
    return { ...base, lines: $("lines").value.split("\n").map((one) => one.replace(/\r$/, "")).filter((one) => one.trim()) };
  }
  const [left, right] = [rows("context-source"), rows("context-target")];
  if (left.length !== right.length)
    throw [`Sentences before: expected as many source lines as target lines, found ${left.length} and ${right.length}`];
  const text = {
    source: $("source").value, target: $("target").value,
    context: left.map((source, number) => ({ source, target: right[number] })),
  };
  if (state.marks) text.gaps = state.marks;
  return { ...base, text };
}

// The answer ------------------------------------------------------------------------------------

function clear() {
  state.answer = state.why = state.marks = null;
  $("result").hidden = true;
  tell([]);
}

function report(problems) {
  if (!Array.isArray(problems)) { console.error(problems); problems = ["This page went wrong; the browser's console says where."]; }
  tell(problems);
}

let latest = 0;

async function predict(gap = null) {
  const mine = ++latest;
  $("go").disabled = true;
  try {
    const asked = request();
    const answer = await ask("api/predict", asked);
    if (mine !== latest) return;
    Object.assign(state, { answer, asked, why: null });
    tell([]);
    const wanted = gap === null ? 0 : answer.gaps.findIndex(gap);
    state.gap = Math.max(0, wanted);
    $("result").hidden = false;
    draw();
    announce();
    await explain();
  } catch (problems) {
    if (mine === latest) report(problems);
  } finally {
    if (mine === latest) $("go").disabled = false;
  }
}

async function explain() {
  const gap = state.answer.gaps[state.gap];
  if (!gap) return;
  const [mine, answer] = [latest, state.answer];
  const why = await ask("api/explain", { ...state.asked, gap: gap.number });
  if (mine !== latest || answer !== state.answer || state.answer.gaps[state.gap] !== gap) return;
  state.why = why;
  draw();
}

async function select(number) {
  state.gap = number;
  state.why = null;
  draw();
  announce();
  try { await explain(); } catch (problems) { report(problems); }
}

function announce() {
  const gap = state.answer.gaps[state.gap];
  $("told").textContent = gap
    ? `Gap ${gap.number}, ${gap.pronoun}: ` + gap.predictions.map((one) => `${one.system}: ${one.label}, ${percent(one.probabilities[one.label])}`).join("; ")
    : "No gap was found.";
}

const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const explained = (name) => state.why && state.why.explanations.find((one) => one.system === name);

// The words of the sentence that is asked about, if it was typed as text.
function typedWords() {
  return state.answer.sentences[state.answer.sentences.length - 1].words;
}

// A gap is named by what was typed: the place of its word, and of the source word.
function marksNow() {
  return state.answer.gaps.map((gap) => {
    const typed = typedWords()[gap.position];
    return typed ? { target: typed[0], source: gap.source_index } : { source: gap.source_index };
  });
}

function addGap(mark) {
  const kept = marksNow().filter((one) => mark.source === undefined || one.source !== mark.source);
  state.marks = [...kept, mark];
  predict((gap) => mark.source !== undefined ? gap.source_index === mark.source
    : (typedWords()[gap.position] || [])[0] === mark.target);
}

function draw() {
  const { answer } = state;
  const gap = answer.gaps[state.gap] || null;
  if (gap && (!state.shown || !gap.predictions.some((one) => one.system === state.shown)))
    state.shown = gap.predictions[0].system;
  const held = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : null;
  $("sentences").replaceChildren(...answer.sentences.map(sentence));
  $("notes").replaceChildren(...answer.notes.map((one) => element("li", {}, one)));
  $("help").textContent = typedWords()
    ? "Click a word of the translation to hide it, or a word of the source to hide what translates it; click a gap to see its prediction. Arrow keys go from word to word."
    : "Click a gap to see its prediction.";
  $("asked").textContent = gap ? `Gap ${gap.number} of ${answer.gaps.length}: ${gap.pronoun} → ?` : "No gap: click a word to hide it";
  const last = answer.sentences[answer.sentences.length - 1];
  $("rests").hidden = !(gap && last.positional.some(([source, target]) => source === gap.source_index && target === gap.position));
  $("restore").hidden = !(gap && typedWords() && gap.hidden_word);
  if (gap && gap.hidden_word) $("restore").textContent = `Show “${gap.hidden_word}” again`;
  $("systems").replaceChildren(...(gap ? gap.predictions.map((one) => card(one, gap)) : []));
  $("five").textContent = answer.lines.join("\n");
  const again = held && document.querySelector(`[data-key="${CSS.escape(held)}"]`);
  if (again) again.focus({ preventScroll: true });
}

function sentence(one, number) {
  const before = state.answer.sentences.length - 1 - number;
  const last = before === 0;
  const gap = state.answer.gaps[state.gap] || null;
  const why = state.shown ? explained(state.shown) : null;
  const evidence = last && why ? why.explanation.evidence : null;
  const pointed = { source: new Map(), target: new Map() };
  for (const word of why ? why.antecedents : [])
    if (word.before === before && word.probability >= 0.05)
      pointed[word.side].set(word.position, word.probability);
  const loudest = evidence ? Math.max(...[...evidence.source, ...evidence.target].map(Math.abs), 0) : 0;
  const linked = last && gap ? new Set([gap.source_index]) : new Set();
  const part = (side) => {
    const values = evidence ? evidence[side] : [];
    const tokens = one[side].map((word, place) => token(side, word, place, {
      last, words: one.words, linked, value: values[place] || 0, loudest,
      pointed: pointed[side].get(place),
      isGap: side === "target" && one.gaps.includes(place),
    }));
    const line = element("p", { class: "sentence", lang: state.task[`${side}_language`], ...(last ? { role: "group", "aria-label": side } : {}) },
      element("span", { class: "name" }, last ? side : `${before} before`));
    for (const made of tokens) line.append(made, " ");
    return line;
  };
  return element("div", { class: last ? "asked-about" : "earlier" }, part("source"), part("target"), seen(one));
}

// What systems see of a typed target where it is not what was typed: lemmas with tags.
function seen(one) {
  const other = (word, place) => one.words[place] && !one.gaps.includes(place) && one.words[place][1] !== word;
  if (!one.words || !one.target.some(other)) return null;
  const shown = one.target.map((word, place) => one.gaps.includes(place) ? "▢" : word).join(" ");
  return element("p", { class: "sentence seen", lang: state.task.target_language, role: "group", "aria-label": "target as systems see it" },
    element("span", { class: "name" }, "seen as"), shown);
}

function token(side, word, place, about) {
  const { answer } = state;
  const typed = side === "target" && about.words ? about.words[place] : null;
  let shown = typed ? typed[1] : word;
  let settings = { class: "tok" };
  let name = "span";
  if (about.isGap) {
    shown = typed && typed[1] !== "REPLACE" ? `▢ ${typed[1]}` : "▢";
    settings.class += " gap";
    if (about.last) {
      const number = answer.gaps.findIndex((one) => one.position === place);
      const gap = answer.gaps[number];
      name = "button";
      if (shown === "▢") shown = `▢ ${gap.pronoun}?`;
      Object.assign(settings, { type: "button", "aria-pressed": String(number === state.gap), "data-key": `gap-${place}`,
        "aria-label": `gap ${gap.number}, for ${gap.pronoun}${gap.hidden_word ? `, hides ${gap.hidden_word}` : ""}`, onclick: () => select(number) });
    }
  } else if (about.last && typedWords()) {
    name = "button";
    const pronoun = side === "source" && state.task.source_pronouns.includes(word.toLowerCase());
    if (pronoun) settings.class += " pronoun";
    Object.assign(settings, { type: "button", "data-key": `${side}-${place}`,
      title: side === "source" ? "hide what translates it" : `${word}: hide it`,
      onclick: () => addGap(side === "source" ? { source: place } : { target: typed[0] }) });
  } else if (about.last && side === "source" && state.task.source_pronouns.includes(word.toLowerCase())) settings.class += " pronoun";
  if (side === "source" && about.linked.has(place)) settings.class += " linked";
  if (about.pointed !== undefined) settings.class += " antecedent";
  const made = element(name, settings, shown);
  const share = about.loudest ? Math.abs(about.value) / about.loudest : 0;
  if (share && !(about.isGap && settings["aria-pressed"] === "true")) {
    made.style.backgroundColor = `rgba(var(--${about.value > 0 ? "for" : "against"}), ${(0.5 * share).toFixed(3)})`;
  }
  if (about.pointed !== undefined) made.append(element("small", {}, percent(about.pointed)));
  return made;
}

// Arrow keys go through the words of a sentence; Tab would take as long as the sentence is.
$("sentences").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey || event.target.tagName !== "BUTTON") return;
  const all = [...$("sentences").querySelectorAll("button")];
  const next = all[all.indexOf(event.target) + step];
  if (next) { event.preventDefault(); next.focus(); }
});

function card(one, gap) {
  const why = explained(one.system);
  const shown = state.shown === one.system;
  const made = element("article", { class: `card${shown ? " shown" : ""}`, "aria-label": one.system },
    element("h3", {}, one.system), bars(one, gap));
  const line = element("p", { class: "note" });
  if (why && why.antecedents.length) {
    const best = why.antecedents[0];
    const where = best.before === 0 ? "in this sentence" : `${best.before} ${best.before === 1 ? "sentence" : "sentences"} before`;
    const words = state.answer.sentences[state.answer.sentences.length - 1 - best.before].words;
    const typed = best.side === "target" && words && words[best.position];
    line.append("Antecedent: ", element("b", {}, typed ? typed[1] : best.word), ` (${percent(best.probability)}), ${where}`);
    made.append(line);
  }
  if (state.answer.gaps.length && gap.predictions.length > 1)
    made.append(element("button", { type: "button", "aria-pressed": String(shown), "data-key": `show-${one.system}`,
      onclick: () => { state.shown = one.system; draw(); } }, shown ? "Shown in the sentence" : "Show in the sentence"));
  if (why && why.explanation.evidence) {
    const opened = state.open === one.system;
    if (opened) made.classList.add("open");
    const details = element("details", { open: opened }, element("summary", { "data-key": `why-${one.system}` }, "Why?"));
    details.append(...explanation(why.explanation));
    details.addEventListener("toggle", () => {
      made.classList.toggle("open", details.open);
      if (details.open) state.open = one.system; else if (state.open === one.system) state.open = null;
    });
    made.append(details);
  }
  return made;
}

function bars(one, gap) {
  const body = element("tbody");
  for (const [name, chance] of Object.entries(one.probabilities)) {
    const bar = element("div", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${(100 * chance).toFixed(1)}%`;
    body.append(element("tr", name === one.label ? { class: "chosen" } : {},
      element("th", { scope: "row" }, name, gap.hidden_label === name ? element("span", { class: "had" }, "in the text") : null),
      element("td", {}, bar), element("td", { class: "number" }, percent(chance))));
  }
  return element("table", { class: "bars" }, element("caption", {}, "chooses ", element("b", {}, one.label)), body);
}

function memberLabel(member) {
  const system = member.explanation.system;
  return member.name && member.name !== system ? `${member.name} (${system})` : system;
}

function explanation(why) {
  const parts = [];
  const chances = why.probabilities;
  parts.push(element("p", {}, `${why.chosen} (${percent(chances[why.chosen])}) rather than ${why.against} (${percent(chances[why.against])})`));
  if (!why.evidence) return [...parts, element("p", { class: "note" }, "No explanation.")];
  parts.push(element("p", { class: "note" }, why.evidence.how));
  if (why.evidence.source.length || why.evidence.target.length)
    parts.push(element("p", { class: "note" }, `In the sentence above, words in blue speak for ${why.chosen}, those in orange for ${why.against}.`));
  for (const table of why.evidence.tables) parts.push(...tableOf(table));
  for (const member of why.evidence.members)
    parts.push(element("div", { class: "member" }, element("h4", {}, `${memberLabel(member)}, weight ${member.weight.toFixed(3)}`), ...explanation(member.explanation)));
  return parts;
}

const cell = (value) => typeof value === "number" && !Number.isInteger(value) ? value.toFixed(3) : String(value);

function tableOf(table) {
  const head = element("tr", {}, ...table.columns.map((one) => element("th", { scope: "col" }, one)));
  const body = table.rows.map((row) => element("tr", {}, ...row.map((one) => element("td", {}, cell(one)))));
  return [element("h4", {}, table.title),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title }, element("table", { class: "evidence" }, element("thead", {}, head), element("tbody", {}, ...body))),
    ...(table.note ? [element("p", { class: "note" }, table.note)] : [])];
}

// Beginning -------------------------------------------------------------------------------------

$("form").addEventListener("submit", (event) => { event.preventDefault(); state.marks = null; predict(); });
$("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); state.marks = null; predict(); }
});
for (const id of ["source", "target", "context-source", "context-target"]) $(id).addEventListener("input", () => { state.marks = null; });
$("lines").addEventListener("input", () => { state.example = null; });
$("task").addEventListener("change", () => chooseTask($("task").value));
$("example").addEventListener("change", () => chooseExample($("example").value));
for (const one of document.querySelectorAll("input[name=mode]")) one.addEventListener("change", () => setMode(mode()));
$("restore").addEventListener("click", () => {
  const gap = state.answer.gaps[state.gap];
  state.marks = marksNow().filter((_, number) => number !== gap.number - 1);
  predict();
});

ask("api/systems").then((found) => {
  state.tasks = found.tasks;
  $("task").replaceChildren(...found.tasks.map((one) => element("option", { value: one.name }, one.name)));
  $("task-field").hidden = found.tasks.length < 2;
  chooseTask(found.tasks[0].name);
}).catch(report);
