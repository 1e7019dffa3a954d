import { useNavigate } from '@tanstack/react-router';
import type { Campaign } from '#client/types.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import { useApprovalNeed } from '../../../parts/campaign/approval-need.ts';
import { startEffects } from '../../../parts/campaign/start-effects.ts';
import { StartQuestion } from '../../../parts/campaign/start-question.tsx';
import { useZone } from '../../../parts/times/zone.ts';
import { describeWhen } from '../../../parts/when/when-words.ts';
import type { Editor } from '../form/use-editor.ts';
import { describeWarnings } from './review-lines.ts';

interface StartDialogProps {
  editor: Editor;
  onClose: () => void;
  onStarted: (campaign: Campaign) => void;
  /** Called if the API refuses the form, which then shows the problems. */
  onRefused: () => void;
}

/** Confirmation that saves the campaign, and starts or submits it, with all effects of the start. */
export function StartDialog({ editor, onClose, onStarted, onRefused }: StartDialogProps) {
  const { form, save, start, submit, draft, kept, standing, definition, size } = editor;
  const { zone } = useZone();
  const navigate = useNavigate();
  const approval = draft !== null && !kept.isChanged ? draft.approval : null;
  const ask = useApprovalNeed({ countries: form.countries, approval }, size);
  const after = async (act: (id: string) => Promise<void>) => {
    try {
      const saved = draft !== null && !kept.isChanged ? draft : await save.mutateAsync();
      await act(saved.id);
    } catch (refusal) {
      if (problemOf(refusal).errors.length > 0) onRefused();
    }
  };
  const { preview } = standing;
  return (
    <StartQuestion
      verb={form.when.kind === 'now' ? 'Start' : 'Schedule'}
      name={form.name.trim()}
      lead={describeWhen(form, zone)}
      effects={startEffects(definition, size, preview ?? null)}
      warnings={preview ? describeWarnings(preview, definition) : []}
      isWorking={save.isPending || start.isPending || submit.isPending}
      error={save.error ?? submit.error ?? start.error}
      onStart={() => void after(async (id) => onStarted(await start.mutateAsync(id)))}
      onSubmit={() =>
        void after(async (id) => {
          await submit.mutateAsync(id);
          await navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } });
        })
      }
      {...{ ask, onClose }}
    />
  );
}
