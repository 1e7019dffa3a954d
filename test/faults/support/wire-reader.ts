import type { Passage } from './tcp-proxy.ts';

const parse = 'P'.charCodeAt(0);
const bind = 'B'.charCodeAt(0);
const query = 'Q'.charCodeAt(0);
const commandComplete = 'C'.charCodeAt(0);
const readyForQuery = 'Z'.charCodeAt(0);
const headerBytes = 5;

/** Reader of the messages between Postgres and its clients, as far as tests need them. */
export interface WireReader {
  /** Returns the number of matching statements in these bytes. */
  sent(passage: Passage, bytes: Buffer): number;
  answered(passage: Passage, bytes: Buffer): Answered;
}

interface Answered {
  /** True if the connection became idle with these bytes; in a transaction, only at its end. */
  isIdle: boolean;
  /** True if a statement was executed since the connection was idle. */
  isCarriedOut: boolean;
}

/** @param matches returns whether the text of a statement matches */
export function createWireReader(matches: (sql: string) => boolean): WireReader {
  const states = new WeakMap<Passage, State>();

  function stateOf(passage: Passage): State {
    const known = states.get(passage);
    if (known) return known;
    const empty = Buffer.alloc(0);
    const fresh = { toServer: empty, toClient: empty, begun: false, names: new Set<string>(), isCarriedOut: false };
    states.set(passage, fresh);
    return fresh;
  }

  return {
    sent: (passage, bytes) => {
      const state = stateOf(passage);
      let matching = 0;
      state.toServer = Buffer.concat([state.toServer, bytes]);
      if (!state.begun) state.toServer = withoutStartup(state);
      state.toServer = readMessages(state.toServer, (type, payload) => {
        if (isMatch(state, type, payload, matches)) matching++;
      });
      return matching;
    },
    answered: (passage, bytes) => {
      const state = stateOf(passage);
      const states: string[] = [];
      state.toClient = readMessages(Buffer.concat([state.toClient, bytes]), (type, payload) => {
        if (type === commandComplete) state.isCarriedOut = true;
        if (type === readyForQuery) states.push(payload.toString('latin1'));
      });
      // Otherwise a transaction is open, and its statements are not committed yet.
      const isIdle = states.includes('I');
      const { isCarriedOut } = state;
      if (isIdle) state.isCarriedOut = false;
      return { isIdle, isCarriedOut };
    },
  };
}

interface State {
  toServer: Buffer;
  toClient: Buffer;
  /** True after the start-up message, which has no type. */
  begun: boolean;
  /** Prepared statements that match. */
  names: Set<string>;
  isCarriedOut: boolean;
}

/** Returns the bytes after the start-up message, which has a length but no type. */
function withoutStartup(state: State): Buffer {
  if (state.toServer.length < 4) return state.toServer;
  const length = state.toServer.readUInt32BE(0);
  if (state.toServer.length < length) return state.toServer;
  state.begun = true;
  return state.toServer.subarray(length);
}

/** Calls back for each complete message, and returns the bytes of an incomplete last message. */
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
 * Returns true if the message begins a matching statement: by its text, or by the name under which that text was
 * prepared.
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
