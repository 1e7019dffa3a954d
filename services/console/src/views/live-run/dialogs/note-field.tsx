import { useId } from 'react';

interface NoteFieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** Why, for whoever looks at the run later. */
export function NoteField({ value, onChange }: NoteFieldProps) {
  const id = useId();
  return (
    <div>
      <label className="lab" htmlFor={id}>
        Note for the event log <span className="t3">(optional)</span>
      </label>
      <input
        id={id}
        className="inp w-full phone:h-10"
        value={value}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
