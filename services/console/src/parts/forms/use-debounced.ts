import { useEffect, useState } from 'react';

export interface Debounced<Value> {
  value: Value;
  written: string;
  /** True if the current value differs from this one, because it changed less than `afterMs` ago. */
  isBehind: boolean;
}

/** Returns a value once it has not changed for `afterMs` milliseconds. The first value is returned at once. */
export function useDebounced<Value>(value: Value, afterMs: number): Debounced<Value> {
  const written = JSON.stringify(value);
  const [settled, setSettled] = useState({ value, written });
  useEffect(() => {
    if (settled.written === written) return;
    const timer = setTimeout(() => setSettled({ value, written }), afterMs);
    return () => clearTimeout(timer);
  }, [value, written, settled.written, afterMs]);
  return { ...settled, isBehind: settled.written !== written };
}
