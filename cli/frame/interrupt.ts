/** Registers signal handlers: the first Ctrl-C or SIGTERM aborts the signal, the second one ends the process. */
export function interruptSignal(): AbortSignal {
  const interrupted = new AbortController();
  const onSignal = () => {
    if (interrupted.signal.aborted) process.exit(130);
    interrupted.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return interrupted.signal;
}
