import { FormField } from '../forms/form-field.tsx';
import { TextInput } from '../controls/controls.tsx';
import { useCurrentMinute } from '../browser/now.ts';
import { formatDay, formatZone } from '../times/times.ts';
import { isZone, wallClock, zoneNames } from '../times/zoned-times.ts';

interface ZoneFieldProps {
  pointer: string;
  label: string;
  value: string;
  placeholder?: string;
  onChange: (zone: string) => void;
}

export function ZoneField({ pointer, label, value, placeholder, onChange }: ZoneFieldProps) {
  const now = new Date(useCurrentMinute());
  const hint = value !== '' && isZone(value) ? nowThere(value, now) : value === '' ? undefined : 'unknown time zone';
  return (
    <FormField pointer={pointer} label={label} hint={hint}>
      {(control) => (
        <>
          <TextInput
            {...control}
            list={`${control.id}-zones`}
            value={value}
            placeholder={placeholder}
            onText={onChange}
          />
          <datalist id={`${control.id}-zones`}>
            {zoneNames().map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )}
    </FormField>
  );
}

/** Returns a text such as `now 13:42 there, Tue 24 Nov (UTC+11)`. */
function nowThere(zone: string, now: Date): string {
  const offset = /\((.+)\)$/.exec(formatZone(zone, now))?.[1] ?? 'UTC';
  return `now ${wallClock(now.getTime(), zone).slice(11, 16)} there, ${formatDay(now, { zone, now })} (${offset})`;
}
