import { useState } from 'react';
import { describeCron } from '../../../parts/when/cron-words.ts';
import { cronOf, weekDays, weeklyOf, type WeekDay } from '../../../parts/when/weekly-rule.ts';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { FieldGroup } from '../../../parts/forms/form-field.tsx';

const dayWords: Readonly<Record<WeekDay, string>> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
};

export function DaysField({ cron, onCron }: { cron: string; onCron: (cron: string) => void }) {
  const [{ days, time }, setRule] = useState(() => weeklyOf(cron) ?? { days: [], time: '09:00' });
  const put = (rule: { days: readonly WeekDay[]; time: string }) => {
    setRule(rule);
    onCron(cronOf(rule));
  };
  const toggled = (day: WeekDay) => (days.includes(day) ? days.filter((each) => each !== day) : [...days, day]);
  return (
    <FieldGroup pointer="/schedule/cron" label="On these days, at">
      <div className="row flex-wrap">
        <div className="seg" role="group" aria-label="Days">
          {weekDays.map((day) => (
            <button
              key={day}
              type="button"
              aria-label={dayWords[day]}
              aria-pressed={days.includes(day)}
              onClick={() => put({ days: toggled(day), time })}
            >
              {dayWords[day].slice(0, 2)}
            </button>
          ))}
        </div>
        <span className="w-18">
          <TextInput
            aria-label="Time of the day"
            inputMode="numeric"
            maxLength={5}
            value={time}
            onText={(typed) => put({ days, time: typed })}
          />
        </span>
      </div>
      <p className="hint">{describeCron(cron) ?? 'At least one day, and a time such as 09:00'}</p>
    </FieldGroup>
  );
}
