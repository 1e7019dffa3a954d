import { useRef, type ComponentProps } from 'react';
import { Button } from './button.tsx';
import { TextInput } from './controls.tsx';

interface TimeInputProps extends ComponentProps<typeof TextInput> {
  /** True for a date without a time, such as `2026-12-01`. */
  isDay?: true;
}

/** A field for wall-clock time, typed as `2026-12-01 09:00`, or chosen in the browser's calendar. */
export function TimeInput({ value, onText, isDay, ...control }: TimeInputProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <span className="relative block [&>.inp]:pr-8.5">
      <TextInput
        {...control}
        placeholder={isDay ? '2026-12-01' : '2026-12-01 09:00'}
        value={value.replace('T', ' ')}
        onText={onText}
      />
      <input
        ref={picker}
        type={isDay ? 'date' : 'datetime-local'}
        className="absolute right-0 bottom-0 size-px opacity-0 pointer-events-none"
        tabIndex={-1}
        aria-hidden="true"
        value={value.trim().replace(/\s+/, 'T')}
        onChange={({ target }) => onText(target.value)}
      />
      <Button
        small
        kind="ghost"
        className="absolute right-0.75 top-0.75 phone:top-0"
        icon="calendar"
        label="Choose from a calendar"
        onClick={() => picker.current?.showPicker()}
      />
    </span>
  );
}
