import { useEffect, useRef, useState } from 'react';
import { Icon } from '../icon/icon.tsx';
import { useKeys } from '../keys/use-keys.ts';

interface SearchFieldProps {
  placeholder: string;
  value: string;
  /** Called on Enter, and when the user has not typed for a moment. */
  onSearch: (text: string) => void;
}

const settleMs = 250;

/** Searches a list on the server. The key / focuses the field, Esc empties it. */
export function SearchField({ placeholder, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState<string | undefined>();
  const field = useRef<HTMLInputElement>(null);
  const search = useRef(onSearch);
  const entered = useRef<string>(undefined);
  useEffect(() => {
    search.current = onSearch;
  });
  useKeys([{ keys: '/', does: 'Search', group: 'This page', run: () => field.current?.focus() }]);
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      // Enter has searched for the text already. A repeat would undo a filter that the user has cleared since.
      if (entered.current !== typed) search.current(typed.trim());
      entered.current = undefined;
      setTyped(undefined);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label className="inp search">
      <span className="sr-only">{placeholder}</span>
      <Icon name="search" size={14} />
      <input
        ref={field}
        type="search"
        placeholder={placeholder}
        value={typed ?? value}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            entered.current = event.currentTarget.value;
            onSearch(event.currentTarget.value.trim());
          }
          if (event.key === 'Escape') setTyped('');
        }}
      />
      <kbd className="wide" aria-hidden="true">
        /
      </kbd>
    </label>
  );
}
