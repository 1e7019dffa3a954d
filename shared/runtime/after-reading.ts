/**
 * Upper bound on the poll phases that are waited for. A phase reads 64 KiB of a socket, and a socket holds 6 MiB by
 * default at most.
 */
const maxPhases = 100;

/**
 * Calls back after the first poll phase that brings no byte, and after a hundred phases at the latest.
 *
 * Timers run before sockets are read. After a pause of the process (garbage collection, SIGSTOP, a paused virtual
 * machine) a timer is due while what came in time is in the buffers of the sockets. Code that concludes from a timer
 * that nothing came has to decide in this callback, and not in the timer's.
 *
 * @param bytesRead returns the number of bytes that were read so far
 */
export function afterReading(bytesRead: () => number, decide: () => void, phasesLeft = maxPhases): void {
  const before = bytesRead();
  setImmediate(() => {
    if (phasesLeft > 1 && bytesRead() !== before) afterReading(bytesRead, decide, phasesLeft - 1);
    else decide();
  });
}
