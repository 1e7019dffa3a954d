import { useColourScheme, type ColourScheme } from '../parts/browser/colour-scheme.ts';
import { Icon } from '../parts/icon/icon.tsx';
import { Menu, MenuItem } from '../parts/overlays/menu.tsx';
import { roleWords, useLogOut, useSession } from './session/session.ts';

const schemes: readonly { value: ColourScheme; label: string }[] = [
  { value: 'system', label: 'Same as system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

interface AccountMenuProps {
  onKeys: () => void;
  onZone: () => void;
}

/** Menu of the logged-in key, with the settings of this browser: theme, time zone, and log-out. */
export function AccountMenu({ onKeys, onZone }: AccountMenuProps) {
  const { keyName, role } = useSession();
  const [scheme, setScheme] = useColourScheme();
  const logOut = useLogOut();
  return (
    <Menu
      place="above"
      target={(target) => (
        <button
          type="button"
          {...target}
          className="flex items-center gap-2 w-full mt-auto p-2 border-t border-line text-sm leading-4 text-left rail:px-1.75"
          aria-label={`${keyName}, ${role}: theme, keys, log out`}
        >
          <span className="ava" aria-hidden="true">
            {initialsOf(keyName)}
          </span>
          <span className="truncate rail:hidden">
            <span className="font-medium">{keyName}</span>
            <br />
            <span className="t3">{roleWords[role]}</span>
          </span>
        </button>
      )}
    >
      <p className="menu-head">Theme</p>
      {schemes.map(({ value, label }) => (
        <MenuItem key={value} role="menuitemradio" aria-checked={scheme === value} onClick={() => setScheme(value)}>
          {label}
          {scheme === value && <Icon name="tick" size={14} />}
        </MenuItem>
      ))}
      <hr />
      <MenuItem onClick={onZone}>
        Time zone…
        <kbd>T</kbd>
      </MenuItem>
      <MenuItem onClick={onKeys}>
        Keys
        <kbd>?</kbd>
      </MenuItem>
      <MenuItem onClick={() => void logOut('here')}>Log out</MenuItem>
      <MenuItem onClick={() => void logOut('everywhere')}>Log out everywhere</MenuItem>
    </Menu>
  );
}

/** Returns initials: `GS` for `growth-sea`. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => word.charAt(0)) : [words[0]?.slice(0, 2) ?? ''];
  return letters.join('').toUpperCase();
}
