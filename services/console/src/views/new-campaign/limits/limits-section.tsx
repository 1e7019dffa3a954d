import { FormField } from '../../../parts/forms/form-field.tsx';
import { Select, TextInput } from '../../../parts/controls/controls.tsx';
import { priorities } from '../../../parts/campaign/form.ts';
import { CanaryThenField } from '../../../parts/campaign/canary-then-field.tsx';
import { choosesVariant, offersChoice } from '../../../parts/campaign/form-definition.ts';
import { splitIndexOf } from '../../../parts/campaign/variant-forms.ts';
import { FormSection } from '../form/form-section.tsx';
import { SpanField } from '../../../parts/when/span-field.tsx';
import type { Editor } from '../form/use-editor.ts';

/** Section for the limits of a run, which protect other campaigns. */
export function LimitsSection({ editor: { form, change } }: { editor: Editor }) {
  const hasVariants = splitIndexOf(form.steps) >= 0;
  return (
    <FormSection section="limits" number={4} note="protect other campaigns">
      <div className="grid grid-cols-[repeat(auto-fit,minmax(138px,1fr))] gap-3.5 items-start">
        <FormField
          pointer="/paceUsersPerSecond"
          label="Pace, at most"
          hint="For all countries together; slows down feeding, not single calls"
        >
          {(control) => (
            <TextInput
              {...control}
              inputMode="numeric"
              unit="users/s"
              placeholder="no limit"
              value={form.pace}
              onText={(pace) => change({ pace })}
            />
          )}
        </FormField>
        <SpanField
          pointer="/deadlineSeconds"
          label="Deadline after start"
          hint="Users not called by then expire"
          value={form.deadline}
          units={['min', 'h', 'd']}
          onChange={(deadline) => change({ deadline })}
        />
        <FormField pointer="/pauseAtFailedPercent" label="Pause automatically at" hint="Share of the users of a step">
          {(control) => (
            <TextInput
              {...control}
              inputMode="decimal"
              unit="% failed"
              placeholder="never"
              value={form.pauseAtFailedPercent}
              onText={(pauseAtFailedPercent) => change({ pauseAtFailedPercent })}
            />
          )}
        </FormField>
        {form.pauseAtFailedPercent !== '' && (
          <FormField
            pointer="/pauseAtFailedMinUsers"
            label="Not before"
            hint="With fewer users, the share is not representative"
          >
            {(control) => (
              <TextInput
                {...control}
                inputMode="numeric"
                unit="users"
                placeholder="1,000"
                value={form.pauseAtFailedMinUsers}
                onText={(pauseAtFailedMinUsers) => change({ pauseAtFailedMinUsers })}
              />
            )}
          </FormField>
        )}
        <FormField pointer="/canary" label="Canary, first" hint="1000, or 5 %; then the run pauses for you">
          {(control) => (
            <TextInput {...control} placeholder="none" value={form.canary} onText={(canary) => change({ canary })} />
          )}
        </FormField>
        {offersChoice(form, hasVariants) && (
          <CanaryThenField
            value={form.canaryThen}
            onChoose={(canaryThen) => change({ canaryThen })}
            className="col-span-full max-w-100 phone:max-w-none"
          />
        )}
        {form.canary !== '' && !choosesVariant(form, hasVariants) && (
          <FormField
            pointer="/canary/maxFailedPercent"
            label="Continues automatically up to"
            hint="Of the canary users; empty: never"
          >
            {(control) => (
              <TextInput
                {...control}
                inputMode="decimal"
                unit="% failed"
                placeholder="never"
                value={form.canaryMaxFailedPercent}
                onText={(canaryMaxFailedPercent) => change({ canaryMaxFailedPercent })}
              />
            )}
          </FormField>
        )}
        <FormField pointer="/priority" label="Priority" hint="Compared with other runs in the same shards">
          {(control) => (
            <Select
              {...control}
              value={form.priority}
              choices={priorities.map((value) => ({ value, label: value }))}
              onChoose={(priority) => change({ priority })}
            />
          )}
        </FormField>
      </div>
    </FormSection>
  );
}
