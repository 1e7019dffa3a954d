import { formatCount } from '../words/numbers.ts';
import { Icon } from '../icon/icon.tsx';

export interface Chip<Value extends string> {
  value: Value;
  label: string;
  /** How many there are; not shown while nobody knows. */
  count?: number | undefined;
  /** Work for a person. */
  warns?: boolean;
}

interface ChipsProps<Value extends string> {
  /** `Filter by state` */
  label: string;
  chips: readonly Chip<Value>[];
  chosen: Value;
  onChoose: (value: Value) => void;
}

/** One of several views on a list, each with how much is in it. */
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
