import { z } from 'zod';

/**
 * Script that runs in a page before the page's own scripts. It is text because this folder has no DOM types. It counts
 * long tasks, frames and changes of the table of users (one for each patch that the page shows). It also measures the
 * time from a person's action until its result is painted.
 */
export const probeScript = `(() => {
  const table = ':is([aria-label="Table of users by step and country"], .countries)';
  const begun = () => ({ sinceMs: performance.now(), longTasksMs: [], frames: 0, longestGapMs: 0, patchesAtMs: [] });
  let told = begun();
  let lastFrameMs = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) if (startTime >= told.sinceMs) told.longTasksMs.push(duration);
  }).observe({ type: 'longtask' });
  const frame = (nowMs) => {
    if (lastFrameMs > told.sinceMs) told.longestGapMs = Math.max(told.longestGapMs, nowMs - lastFrameMs);
    lastFrameMs = nowMs;
    told.frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);

  let awaited;
  const painted = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now())));
  const check = () => {
    if (!awaited || awaited.isSeen || !awaited.isThere()) return;
    awaited.isSeen = true;
    const { resolve, sinceMs } = awaited;
    painted((nowMs) => resolve(nowMs - (sinceMs ?? 0)));
  };
  const elementOf = (node) => (node instanceof Element ? node : node.parentElement);
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => elementOf(target)?.closest(table))) told.patchesAtMs.push(performance.now());
    check();
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['aria-busy'] });
  for (const type of ['click', 'change', 'keydown']) {
    addEventListener(type, (event) => {
      if (!awaited || awaited.sinceMs !== undefined) return;
      if (type === 'keydown' && event.key !== 'Enter') return;
      awaited.sinceMs = event.timeStamp;
    }, { capture: true });
  }

  const rows = () => [...document.querySelectorAll('main tr[data-row]')].map((row) => row.textContent).join('|');
  const conditions = {
    rows: () => { const before = rows(); return () => rows() !== '' && rows() !== before; },
    user: () => () => decodeURIComponent(location.pathname.split('/users/')[1] ?? '') === document.querySelector('main h1:not(.vh)')?.textContent,
  };
  const arm = (condition) => {
    let resolve;
    const took = new Promise((done) => { resolve = done; });
    awaited = { isThere: conditions[condition](), isSeen: false, sinceMs: undefined, resolve, took };
  };
  // The first measurement begins with the navigation itself.
  arm('rows');
  awaited.sinceMs = 0;

  globalThis.musterProbe = {
    reset: () => { told = begun(); },
    read: () => ({ ...told, seconds: (performance.now() - told.sinceMs) / 1000 }),
    arm,
    took: () => awaited.took,
    size: () => ({
      rows: document.querySelectorAll('main tr').length,
      nodes: document.querySelectorAll('*').length,
      loadedBytes: performance.getEntriesByType('resource').reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }),
  };
})()`;

/**
 * Script of a page without content. Twice a second it runs some milliseconds of arithmetic. If that task takes long,
 * other processes are using the machine.
 */
export const metronomeScript = `(() => {
  const spin = (turns) => { let sum = 1; for (let turn = 0; turn < turns; turn++) sum = (sum * 31 + turn) | 0; return sum; };
  let turns = 100_000;
  for (let warm = 0; warm < 50; warm++) spin(turns);
  for (let took = 0; took < 8; turns *= 1.3) { const since = performance.now(); spin(turns); took = performance.now() - since; }
  setInterval(() => { globalThis.spun = spin(turns); }, 500);
})()`;

export const probed = z.object({
  seconds: z.number(),
  longTasksMs: z.array(z.number()),
  frames: z.number(),
  /** Longest time between two frames, in milliseconds. */
  longestGapMs: z.number(),
  patchesAtMs: z.array(z.number()),
});

export type Probed = z.infer<typeof probed>;

export const pageSize = z.object({
  /** Number of table rows. */
  rows: z.number(),
  /** Number of DOM elements. */
  nodes: z.number(),
  /** Bytes loaded over the network, including bytes that the browser's cache already had. */
  loadedBytes: z.number(),
});
