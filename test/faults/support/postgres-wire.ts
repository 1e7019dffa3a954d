import type { Inspector, Passage } from './tcp-proxy.ts';

const parse = 'P'.charCodeAt(0);
const bind = 'B'.charCodeAt(0);
const query = 'Q'.charCodeAt(0);
const commandComplete = 'C'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);
const headerBytes = 5;

/**
 * Cuts the connection when the answer to a matching statement comes back: it was carried out and committed, and the
 * client that asked never hears of it. Statements inside of a longer transaction are not cut at, only what leaves the
 * connection idle.
 *
 * @param matches is asked with the text of the statement
 * @param every cuts at every so many-th of them
 */
export function cutAfterCommit(matches: (sql: string) => boolean, every: number): Inspector & { cuts(): number } {
  const states = new WeakMap<Passage, State>();
  let matched = 0;
  let cuts = 0;

  function stateOf(passage: Passage): State {
    const known = states.get(passage);
    if (known) return known;
    const fresh: State = {
      toServer: Buffer.alloc(0),
      toClient: Buffer.alloc(0),
      begun: false,
      names: new Set(),
      isArmed: false,
      isComplete: false,
    };
    states.set(passage, fresh);
    return fresh;
  }

  return {
    cuts: () => cuts,
    toServer: (passage, bytes) => {
      const state = stateOf(passage);
      state.toServer = Buffer.concat([state.toServer, bytes]);
      if (!state.begun) state.toServer = withoutStartup(state);
      state.toServer = readMessages(state.toServer, (type, payload) => {
        if (!isMatch(state, type, payload, matches)) return;
        matched++;
        state.isArmed ||= matched % every === 0;
      });
    },
    toClient: (passage, bytes) => {
      const state = stateOf(passage);
      const seen: number[] = [];
      state.toClient = readMessages(Buffer.concat([state.toClient, bytes]), (type, payload) => {
        // Ready, and in a transaction: what was carried out is not committed yet.
        if (type !== readyForQuery || payload.toString('latin1') === 'I') seen.push(type);
      });
      state.isComplete ||= seen.includes(commandComplete);
      if (!seen.includes(readyForQuery)) return 'pass';
      const isCut = state.isArmed && state.isComplete;
      state.isComplete = false;
      if (!isCut) return 'pass';
      cuts++;
      return 'cut';
    },
  };
}

interface State {
  toServer: Buffer;
  toClient: Buffer;
  /** Whether the start-up message, which has no type, has passed. */
  begun: boolean;
  /** Prepared statements that match. */
  names: Set<string>;
  isArmed: boolean;
  isComplete: boolean;
}

/** The start-up message: a length and no type. */
function withoutStartup(state: State): Buffer {
  if (state.toServer.length < 4) return state.toServer;
  const length = state.toServer.readUInt32BE(0);
  if (state.toServer.length < length) return state.toServer;
  state.begun = true;
  return state.toServer.subarray(length);
}

/** Calls back for each whole message; what is left of the last one comes back. */
function readMessages(bytes: Buffer, onMessage: (type: number, payload: Buffer) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= headerBytes) {
    const length = bytes.readUInt32BE(at + 1);
    if (bytes.length - at < length + 1) break;
    onMessage(bytes.readUInt8(at), bytes.subarray(at + headerBytes, at + 1 + length));
    at += length + 1;
  }
  return bytes.subarray(at);
}

/**
 * Whether the message begins a statement that matches: by its text, or by the name under which that text was prepared.
 */
function isMatch(state: State, type: number, payload: Buffer, matches: (sql: string) => boolean): boolean {
  if (type === query) return matches(textAt(payload, 0));
  if (type === parse) {
    const name = textAt(payload, 0);
    if (matches(textAt(payload, Buffer.byteLength(name) + 1))) state.names.add(name);
    else state.names.delete(name);
    return false;
  }
  if (type !== bind) return false;
  const portal = textAt(payload, 0);
  return state.names.has(textAt(payload, Buffer.byteLength(portal) + 1));
}

function textAt(payload: Buffer, start: number): string {
  const end = payload.indexOf(0, start);
  return payload.toString('utf8', start, end === -1 ? undefined : end);
}
