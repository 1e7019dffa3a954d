import { useRef, type ComponentProps } from 'react';
import { Button } from '../../../parts/controls/button.tsx';
import { TextInput } from '../../../parts/controls/controls.tsx';
import styles from '../new-campaign.module.css';

/** A wall-clock time: typed as `2026-12-01 09:00`, the same in every browser, or taken from the browser's calendar. */
export function TimeInput({ value, onText, ...control }: ComponentProps<typeof TextInput>) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <span className={styles['time']}>
      <TextInput {...control} placeholder="2026-12-01 09:00" value={value.replace('T', ' ')} onText={onText} />
      <input
        ref={picker}
        type="datetime-local"
        className={styles['picker']}
        tabIndex={-1}
        aria-hidden="true"
        value={value.trim().replace(/\s+/, 'T')}
        onChange={({ target }) => onText(target.value)}
      />
      <Button
        small
        kind="ghost"
        icon="calendar"
        label="Choose from a calendar"
        onClick={() => picker.current?.showPicker()}
      />
    </span>
  );
}
