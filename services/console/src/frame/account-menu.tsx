import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Icon } from '../parts/icon/icon.tsx';
import { useLogOut, useSession } from './session/session.ts';

const schemes: readonly { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Who is logged in, at the foot of the sidebar; behind it what is this browser's own: the theme, and the way out. */
export function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const { keyName, role } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const logOut = useLogOut();
  return (
    <Menu position="top-start" width={208}>
      <Menu.Target>
        <button type="button" className="me" aria-label={`${keyName}, ${role}: theme, keys, log out`}>
          <span className="ava" aria-hidden="true">
            {initialsOf(keyName)}
          </span>
          <span className="cut">
            <span className="w5">{keyName}</span>
            <br />
            <span className="t3">{roleWords[role]}</span>
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Theme</Menu.Label>
        {schemes.map(({ value, label }) => (
          <Menu.Item
            key={value}
            rightSection={colorScheme === value ? <Icon name="tick" size={14} /> : null}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onKeys} rightSection={<kbd>?</kbd>}>
          Keys
        </Menu.Item>
        <Menu.Item onClick={() => void logOut('here')}>Log out</Menu.Item>
        <Menu.Item onClick={() => void logOut('everywhere')}>Log out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const roleWords = { viewer: 'Viewer', manager: 'Manager', operator: 'Operator' } as const;

/** `growth-sea` as `GS`. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => word.charAt(0)) : [words[0]?.slice(0, 2) ?? ''];
  return letters.join('').toUpperCase();
}
