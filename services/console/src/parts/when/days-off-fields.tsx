import { useQuery } from '@tanstack/react-query';
import { listWorkCalendarsOptions } from '#client/@tanstack/react-query.gen.ts';
import { Select } from '../controls/controls.tsx';
import { FormField } from '../forms/form-field.tsx';
import type { DayOff, WhenForm } from './when-form.ts';

interface DaysOffFieldsProps {
  when: WhenForm;
  put: (changed: Partial<WhenForm>) => void;
  pointer: string;
}

const everyDay = '–';
const choices: readonly { value: DayOff; label: string }[] = [
  { value: 'skip', label: 'Skip it' },
  { value: 'before', label: 'The working day before' },
  { value: 'after', label: 'The working day after' },
];

/**
 * Fields for the work calendar of a schedule, and for what happens on a day off. Renders nothing if no calendar exists.
 */
export function DaysOffFields({ when, put, pointer }: DaysOffFieldsProps) {
  const { data } = useQuery(listWorkCalendarsOptions());
  const { workCalendar, onDayOff } = when;
  const known = data?.items.map(({ name }) => name) ?? [];
  const names = workCalendar === '' || known.includes(workCalendar) ? known : [...known, workCalendar];
  if (when.rule !== 'cron' || names.length === 0) return null;
  return (
    <>
      <FormField pointer={`${pointer}/workCalendar`} label="Days off">
        {(control) => (
          <Select
            {...control}
            value={workCalendar === '' ? everyDay : workCalendar}
            choices={[
              { value: everyDay, label: 'None: every day is a working day' },
              ...names.map((name) => ({ value: name, label: name })),
            ]}
            onChoose={(name) => put({ workCalendar: name === everyDay ? '' : name })}
          />
        )}
      </FormField>
      {workCalendar !== '' && (
        <FormField pointer={`${pointer}/onDayOff`} label="On a day off">
          {(control) => (
            <Select {...control} value={onDayOff} choices={choices} onChoose={(each) => put({ onDayOff: each })} />
          )}
        </FormField>
      )}
    </>
  );
}
