import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { listWorkCalendarsOptions } from '#client/@tanstack/react-query.gen.ts';
import { deleteWorkCalendar, getWorkCalendar, putWorkCalendar } from '#client/sdk.gen.ts';
import type { WorkCalendarSummary } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Check, TextArea, TextInput } from '../../parts/controls/controls.tsx';
import { actionsColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ListView } from '../../parts/data-table/list-view.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { useRefusedFields } from '../../parts/forms/refused-fields.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { datesIn, linesOf, weekDays, type CalendarForm } from './work-calendar-form.ts';

const emptyForm: CalendarForm = { name: '', weekDaysOff: ['SAT', 'SUN'], dates: '', isOld: false };

/** Days off that schedules go by, of the whole installation. */
export function WorkCalendarsDialog({ onClose }: { onClose: () => void }) {
  const calendars = useQuery(listWorkCalendarsOptions());
  const refusal = useRefusal('operator');
  const [form, setForm] = useState<CalendarForm>();
  const change = useMutation({
    mutationFn: async (name: string) => (await getWorkCalendar({ path: { name }, throwOnError: true })).data,
    onSuccess: ({ name, weekDaysOff, dates }) =>
      setForm({ name, weekDaysOff: [...weekDaysOff], dates: linesOf(dates), isOld: true }),
  });
  return (
    <Dialog
      title="Work calendars"
      isWide
      lead="Days on which nobody works: a schedule leaves them out, or fires on the working day before or after."
      onClose={onClose}
      actions={
        <>
          {form === undefined && (
            <Button icon="plus" refusal={refusal} onClick={() => setForm(emptyForm)}>
              New calendar
            </Button>
          )}
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      {form ? (
        <CalendarFields form={form} onForm={setForm} />
      ) : (
        <ListView
          what="The calendars"
          query={calendars}
          items={calendars.data?.items}
          empty={<p className="t3 sm">There is no calendar yet: schedules fire on every day that their rule names.</p>}
        >
          <CalendarTable calendars={calendars.data?.items} refusal={refusal} onChange={(name) => change.mutate(name)} />
        </ListView>
      )}
      {change.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(change.error).detail}
        </p>
      )}
    </Dialog>
  );
}

interface CalendarTableProps {
  /** Undefined while they are read. */
  calendars: readonly WorkCalendarSummary[] | undefined;
  refusal: string | undefined;
  onChange: (name: string) => void;
}

function CalendarTable({ calendars, refusal, onChange }: CalendarTableProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (name: string) => deleteWorkCalendar({ path: { name }, throwOnError: true }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const columns: readonly Column<WorkCalendarSummary>[] = [
    { header: 'Calendar', look: 'font-medium', cell: ({ name }) => name },
    { header: 'Off every week', cell: ({ weekDaysOff }) => weekDaysOff.join(', ') || '–' },
    { header: 'Dates', cell: ({ datesOff }) => datesOff },
    { header: 'Used by', hideBelow: 'phone', look: 't2', cell: ({ schedules }) => countOf(schedules, 'schedule') },
    actionsColumn(({ name }) => (
      <>
        <Button small refusal={refusal} label={`Change ${name}`} onClick={() => onChange(name)}>
          Change…
        </Button>
        <Button
          small
          kind="bad"
          refusal={refusal}
          label={`Delete ${name}`}
          disabled={remove.isPending}
          onClick={() => remove.mutate(name)}
        >
          Delete
        </Button>
      </>
    )),
  ];
  return (
    <>
      <DataTable caption="Work calendars, by name" columns={columns} rows={calendars} keyOf={({ name }) => name} />
      {remove.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(remove.error).detail}
        </p>
      )}
    </>
  );
}

function CalendarFields({ form, onForm }: { form: CalendarForm; onForm: (form: CalendarForm | undefined) => void }) {
  const queries = useQueryClient();
  const put = useMutation({
    mutationFn: () => {
      const { name, weekDaysOff, dates } = form;
      const body = { weekDaysOff, dates: datesIn(dates) };
      return putWorkCalendar({ path: { name: name.trim() }, body, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onForm(undefined);
    },
  });
  const problems = useRefusedFields(put.error);
  const refused = put.error && problemOf(put.error);
  const change = (part: Partial<CalendarForm>) => onForm({ ...form, ...part });
  return (
    <FormProblemsContext value={problems}>
      <FormField pointer="/name" label="Name" hint="Such as SG" required>
        {(control) => (
          <TextInput
            {...control}
            value={form.name}
            disabled={form.isOld}
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
      <FormField pointer="/dates" label="Dates" hint="One a line, such as 2026-12-25 Christmas Day">
        {(control) => <TextArea {...control} mono rows={10} value={form.dates} onText={(dates) => change({ dates })} />}
      </FormField>
      {refused !== null && (
        <p className="c-bad sm" role="alert">
          {[refused.detail, ...refused.errors.map(({ pointer, detail }) => `${pointer} ${detail}`)].join('; ')}
        </p>
      )}
      <div className="row">
        <Button small onClick={() => onForm(undefined)}>
          Back
        </Button>
        <Button small kind="ink" disabled={put.isPending || form.name.trim() === ''} onClick={() => put.mutate()}>
          Save the calendar
        </Button>
      </div>
    </FormProblemsContext>
  );
}
