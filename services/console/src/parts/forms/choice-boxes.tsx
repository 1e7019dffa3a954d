interface BoxedChoice<Value extends string> {
  value: Value;
  label: string;
  note: string;
}

interface ChoiceBoxesProps<Value extends string> {
  /** Name of the radio buttons, unique on the page. */
  name: string;
  choices: readonly BoxedChoice<Value>[];
  chosen: Value | undefined;
  onChoose: (value: Value) => void;
}

/** Radio buttons in boxes, each with a note about its effect. */
export function ChoiceBoxes<Value extends string>({ name, choices, chosen, onChoose }: ChoiceBoxesProps<Value>) {
  return (
    <div className="grid gap-1.5">
      {choices.map(({ value, label, note }) => (
        <label
          key={value}
          className={`box flex gap-2.5 py-1.5 px-2.5 cursor-pointer ${chosen === value ? 'border-ink bg-sunken' : ''}`}
        >
          <input
            type="radio"
            name={name}
            className="accent-ink mt-0.75"
            checked={chosen === value}
            onChange={() => onChoose(value)}
          />
          <span>
            <b>{label}</b> <span className="t2 sm">{note}</span>
          </span>
        </label>
      ))}
    </div>
  );
}
