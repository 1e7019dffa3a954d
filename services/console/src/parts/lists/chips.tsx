import { formatCount } from '../words/numbers.ts';
import { Icon } from '../icon/icon.tsx';

export interface Chip<Value extends string> {
  value: Value;
  label: string;
  /** Number of entries; hidden while unknown. */
  count?: number | undefined;
  warns?: boolean;
}

interface ChipsProps<Value extends string> {
  label: string;
  chips: readonly Chip<Value>[];
  chosen: Value;
  onChoose: (value: Value) => void;
}

export function Chips<Value extends string>({ label, chips, chosen, onChoose }: ChipsProps<Value>) {
  return (
    <div className="chips" role="group" aria-label={label}>
      {chips.map(({ value, label: name, count, warns }) => (
        <button
          key={value}
          type="button"
          className={warns && (count ?? 0) > 0 ? 'chip c-warn' : 'chip'}
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {warns && <Icon name="warn" size={14} />}
          {name} {count !== undefined && <span className="n">{formatCount(count)}</span>}
        </button>
      ))}
    </div>
  );
}
