import { useEffect, useState } from 'react';

export interface Settled<Value> {
  value: Value;
  /** The same as JSON, to tell it from others. */
  written: string;
  /** Something else has been said since. */
  isBehind: boolean;
}

/** A value, once it has said the same for a moment; at once where it was there from the beginning. */
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
