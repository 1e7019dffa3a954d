import type { buildConnector } from 'undici';

/**
 * Wraps a connector so that `100 Continue` before an answer is read like 102 and 103, however often it comes. A client
 * has to read it even without having requested it (RFC 9110, section 15.2), and proxies send it. undici 8 destroys the
 * connection instead, in `Parser.onHeadersComplete`, for the status 100 alone.
 *
 * An interim answer with `Connection: close`, or of HTTP/1.0, does not end the answer either. undici closes the
 * connection itself, after the answer.
 *
 * If a later undici has another parser, connections are unchanged, and interim-answers.test.ts fails.
 */
export function withContinue(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      // undici creates the parser of a socket in this callback, so the parser can be changed only afterwards.
      callback(...result);
      if (result[0] === null) readPastInterimAnswers(result[1]);
    });
}

function readPastInterimAnswers(socket: object): void {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser: unknown = key === undefined ? undefined : Reflect.get(socket, key);
  if (typeof parser !== 'object' || parser === null) return;
  const onHeadersComplete: unknown = Reflect.get(parser, 'onHeadersComplete');
  if (typeof onHeadersComplete !== 'function') return;
  readAfterClose(parser);
  // The status 102 means the same to a caller as 100, and undici continues after it.
  Reflect.set(parser, 'onHeadersComplete', (status: unknown, ...others: unknown[]): unknown => {
    const consumed: unknown = Reflect.apply(onHeadersComplete, parser, [status === 100 ? 102 : status, ...others]);
    return consumed;
  });
}

/** Lets llhttp continue after a message that ends its connection: llhttp takes such an interim answer for the end. */
function readAfterClose(parser: object): void {
  const llhttp: unknown = Reflect.get(parser, 'llhttp');
  if (typeof llhttp !== 'object' || llhttp === null) return;
  const setLenient: unknown = Reflect.get(llhttp, 'llhttp_set_lenient_keep_alive');
  if (typeof setLenient === 'function') Reflect.apply(setLenient, llhttp, [Reflect.get(parser, 'ptr'), 1]);
}
