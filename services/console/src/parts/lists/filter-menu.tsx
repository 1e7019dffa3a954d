import { Menu } from '@mantine/core';
import { Icon } from '../icon/icon.tsx';

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
      <Menu position="bottom-start">
        <Menu.Target>
          <button type="button">
            {value === undefined && <Icon name="plus" size={12} />}
            {name} {value !== undefined && <b>{value}</b>}
          </button>
        </Menu.Target>
        <Menu.Dropdown className="options">
          {options.map((option) => (
            <Menu.Item key={option} onClick={() => onChoose(option)}>
              {option}
            </Menu.Item>
          ))}
          {options.length === 0 && <Menu.Label>None yet</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      {value !== undefined && (
        <button type="button" aria-label={`Take off ${name} ${value}`} onClick={() => onChoose(undefined)}>
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}
