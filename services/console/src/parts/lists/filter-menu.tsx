import { Icon } from '../icon/icon.tsx';
import { Menu, MenuItem } from '../overlays/menu.tsx';

interface FilterMenuProps {
  /** `Country` */
  name: string;
  options: readonly string[];
  value: string | undefined;
  onChoose: (value: string | undefined) => void;
}

/** A filter that is off until something is chosen; then it says what, and can be taken off. */
export function FilterMenu({ name, options, value, onChoose }: FilterMenuProps) {
  return (
    <span className={value === undefined ? 'filt' : 'filt on'}>
      <Menu
        place="below-start"
        target={(target) => (
          <button type="button" {...target}>
            {value === undefined && <Icon name="plus" size={12} />}
            {name} {value !== undefined && <b>{value}</b>}
          </button>
        )}
      >
        {options.map((option) => (
          <MenuItem key={option} onClick={() => onChoose(option)}>
            {option}
          </MenuItem>
        ))}
        {options.length === 0 && <p className="menu-head">None yet</p>}
      </Menu>
      {value !== undefined && (
        <button type="button" aria-label={`Take off ${name} ${value}`} onClick={() => onChoose(undefined)}>
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}
