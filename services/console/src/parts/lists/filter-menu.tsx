import { Icon } from '../icon/icon.tsx';
import { Menu, MenuItem } from '../overlays/menu.tsx';

interface FilterMenuProps {
  name: string;
  options: readonly string[];
  value: string | undefined;
  /** Returns the label of a value. Default: the value itself. */
  labelOf?: (value: string) => string;
  onChoose: (value: string | undefined) => void;
}

/** A filter that is off by default. Once a value is chosen, the button shows it and offers to clear it. */
export function FilterMenu({ name, options, value, labelOf = (option) => option, onChoose }: FilterMenuProps) {
  return (
    <span className={value === undefined ? 'filt' : 'filt on'}>
      <Menu
        place="below-start"
        target={(target) => (
          <button type="button" {...target}>
            {value === undefined && <Icon name="plus" size={12} />}
            {name} {value !== undefined && <b>{labelOf(value)}</b>}
          </button>
        )}
      >
        {options.map((option) => (
          <MenuItem key={option} onClick={() => onChoose(option)}>
            {labelOf(option)}
          </MenuItem>
        ))}
        {options.length === 0 && <p className="menu-head">None yet</p>}
      </Menu>
      {value !== undefined && (
        <button type="button" aria-label={`Clear ${name} ${labelOf(value)}`} onClick={() => onChoose(undefined)}>
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}
