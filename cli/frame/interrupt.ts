/** Registers signal handlers: the first Ctrl-C or SIGTERM aborts the signal, the second one ends the process. */
export function interruptSignal(): AbortSignal {
  const interrupted = new AbortController();
  const heard = () => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
  return interrupted.signal;
}
