import { useEffect, useState } from 'react';

export interface Settled<Value> {
  value: Value;
  written: string;
  /** True if the value has changed since. */
  isBehind: boolean;
}

/** Returns a value once it has not changed for `afterMs` milliseconds. The first value is returned at once. */
export function useSettled<Value>(value: Value, afterMs: number): Settled<Value> {
  const written = JSON.stringify(value);
  const [settled, setSettled] = useState({ value, written });
  useEffect(() => {
    if (settled.written === written) return;
    const timer = setTimeout(() => setSettled({ value, written }), afterMs);
    return () => clearTimeout(timer);
  }, [value, written, settled.written, afterMs]);
  return { ...settled, isBehind: settled.written !== written };
}
