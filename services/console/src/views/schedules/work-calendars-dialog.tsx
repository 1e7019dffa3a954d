import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listWorkCalendarsOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteWorkCalendar, getWorkCalendar, putWorkCalendar } from '#client/sdk.gen.ts';
import type { WorkCalendarSummary } from '#client/types.gen.ts';
import { Check, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import type { Column } from '../../parts/data-table/columns.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { NamedForm, NamedListDialog } from './named-list.tsx';
import { parseDates, formatDates, weekDays, type CalendarForm } from './work-calendar-form.ts';

const emptyForm: CalendarForm = { name: '', weekDaysOff: ['SAT', 'SUN'], dates: '', isExisting: false };

/** Form for the work calendars of the installation, whose days off schedules can use. */
export function WorkCalendarsDialog({ onClose }: { onClose: () => void }) {
  const calendars = useQuery(listWorkCalendarsOptions());
  const [form, setForm] = useState<CalendarForm>();
  const change = useMutation({
    mutationFn: async (name: string) => (await getWorkCalendar({ path: { name }, throwOnError: true })).data,
    onSuccess: ({ name, weekDaysOff, dates }) =>
      setForm({ name, weekDaysOff: [...weekDaysOff], dates: formatDates(dates), isExisting: true }),
  });
  return (
    <NamedListDialog
      title="Work calendars"
      lead="Days off: a schedule skips them, or fires on the working day before or after."
      what="The calendars"
      query={calendars}
      items={calendars.data?.items}
      empty="No calendars yet: schedules fire on every day of their rule."
      columns={columns}
      newLabel="New calendar"
      onNew={() => setForm(emptyForm)}
      onChange={({ name }) => change.mutate(name)}
      remove={(name) => deleteWorkCalendar({ path: { name }, throwOnError: true })}
      changeError={change.error}
      onClose={onClose}
    >
      {form && <CalendarFields form={form} onForm={setForm} />}
    </NamedListDialog>
  );
}

const columns: readonly Column<WorkCalendarSummary>[] = [
  { header: 'Calendar', look: 'font-medium', cell: ({ name }) => name },
  { header: 'Off every week', cell: ({ weekDaysOff }) => weekDaysOff.join(', ') || '–' },
  { header: 'Dates', cell: ({ datesOff }) => datesOff },
  { header: 'Used by', hideBelow: 'phone', look: 't2', cell: ({ schedules }) => countOf(schedules, 'schedule') },
];

function CalendarFields({ form, onForm }: { form: CalendarForm; onForm: (form: CalendarForm | undefined) => void }) {
  const save = () => {
    const { name, weekDaysOff, dates } = form;
    return putWorkCalendar({
      path: { name: name.trim() },
      body: { weekDaysOff, dates: parseDates(dates) },
      throwOnError: true,
    });
  };
  const change = (part: Partial<CalendarForm>) => onForm({ ...form, ...part });
  return (
    <NamedForm
      verb="Save the calendar"
      isIncomplete={form.name.trim() === ''}
      save={save}
      onEnd={() => onForm(undefined)}
    >
      <FormField pointer="/name" label="Name" hint="Such as SG" required>
        {(control) => (
          <TextInput
            {...control}
            value={form.name}
            disabled={form.isExisting}
            data-autofocus
            onText={(name) => change({ name })}
          />
        )}
      </FormField>
      <fieldset className="row flex-wrap">
        <legend className="sr-only">Off every week</legend>
        {weekDays.map(({ day, label }) => (
          <Check
            key={day}
            checked={form.weekDaysOff.includes(day)}
            onCheck={(isOff) =>
              change({
                weekDaysOff: isOff ? [...form.weekDaysOff, day] : form.weekDaysOff.filter((each) => each !== day),
              })
            }
          >
            {label}
          </Check>
        ))}
      </fieldset>
      <FormField pointer="/dates" label="Dates" hint="One per line, such as 2026-12-25 Christmas Day">
        {(control) => <TextArea {...control} mono rows={10} value={form.dates} onText={(dates) => change({ dates })} />}
      </FormField>
    </NamedForm>
  );
}
