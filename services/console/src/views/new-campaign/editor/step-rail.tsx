import { Icon, type IconName } from '../../../parts/icon/icon.tsx';
import { sectionNames, sections } from '../form/problem-places.ts';
import { marksOf, type Mark } from './section-marks.ts';
import { useSectionInView } from './use-section-in-view.ts';
import type { Editor } from '../form/use-editor.ts';

const looks: Readonly<Record<Mark, { icon: IconName; tone: string; word: string }>> = {
  done: { icon: 'check', tone: 'c-ok', word: 'complete' },
  wrong: { icon: 'failed', tone: 'c-bad', word: 'has problems' },
  warned: { icon: 'warn', tone: 'c-warn', word: 'has warnings' },
  open: { icon: 'pending', tone: 't3', word: 'not complete' },
};

export function StepRail({ editor }: { editor: Editor }) {
  const current = useSectionInView([...sections, 'review']);
  const marks = marksOf(editor);
  const review: Mark = editor.problems.length > 0 ? 'open' : 'done';
  return (
    <nav className="sticky top-16 [&>ol]:grid [&>ol]:gap-0.5 max-[960px]:hidden" aria-label="Steps">
      <ol>
        {sections.map((section) => (
          <RailEntry
            key={section}
            to={section}
            name={sectionNames[section]}
            mark={marks[section]}
            isCurrent={current === section}
          />
        ))}
        <RailEntry to="review" name="Review" mark={review} isCurrent={current === 'review'} />
      </ol>
    </nav>
  );
}

function RailEntry({ to, name, mark, isCurrent }: { to: string; name: string; mark: Mark; isCurrent: boolean }) {
  const { icon, tone, word } = looks[mark];
  return (
    <li>
      <a
        className="nav"
        href={`#${to}`}
        aria-current={isCurrent ? 'step' : undefined}
        onClick={(event) => {
          event.preventDefault();
          showSection(to);
        }}
      >
        <span className={`${tone} flex`}>
          <Icon name={icon} size={14} />
        </span>
        {name}
        <span className="sr-only">, {word}</span>
      </a>
    </li>
  );
}

export function showSection(id: string): void {
  const section = document.getElementById(id);
  section?.scrollIntoView({
    block: 'start',
    behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
  });
  section?.focus({ preventScroll: true });
}
