/** Upper bound on poll phases. A phase reads 64 KiB of a socket, and a socket holds at most 6 MiB by default. */
const maxPhases = 100;

/**
 * Calls back after the first poll phase that reads no byte, and after a hundred phases at the latest.
 *
 * Timers run before sockets are read. After a pause of the process (garbage collection, SIGSTOP, a paused virtual
 * machine) a timer may be due although data has arrived in time and is still in the socket buffers. Code that concludes
 * from a timer that no data came has to decide in this callback instead of the timer's.
 *
 * @param bytesRead returns the number of bytes read so far
 */
export function afterReading(bytesRead: () => number, decide: () => void, phasesLeft = maxPhases): void {
  const before = bytesRead();
  setImmediate(() => {
    if (phasesLeft > 1 && bytesRead() !== before) afterReading(bytesRead, decide, phasesLeft - 1);
    else decide();
  });
}
