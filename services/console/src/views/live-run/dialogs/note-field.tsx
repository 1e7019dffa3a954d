import { useId } from 'react';

interface NoteFieldProps {
  label?: string;
  note?: string;
  value: string;
  onChange: (value: string) => void;
}

export function NoteField({ label = 'Note for the event log', note = '(optional)', value, onChange }: NoteFieldProps) {
  const id = useId();
  return (
    <div>
      <label className="lab" htmlFor={id}>
        {label} <span className="t3">{note}</span>
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
