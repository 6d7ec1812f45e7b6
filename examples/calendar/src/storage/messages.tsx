import { useState } from 'react';
import { useLiveSubscription } from '../api/use-live.ts';
import { messagePublishedSubscription } from '../api/operations.ts';
import type { DemoMessagePublishedSubscription } from '../gql/graphql.ts';
import { SelectField } from '../ui/field.tsx';
import { LiveBadge } from '../ui/live-badge.tsx';
import { eventTypes, labelOf, shortenTopicName } from './labels.ts';
import { Time } from './time.tsx';

type Message = NonNullable<DemoMessagePublishedSubscription['messagePublished']>;

/** Maximum number of messages on the page; older ones are dropped. */
const maxMessages = 50;

/** Shows the messages of a topic as they are published. */
export function Messages({ topics }: { readonly topics: readonly string[] }) {
  const [selectedTopic, selectTopic] = useState<string>();
  const topic = selectedTopic !== undefined && topics.includes(selectedTopic) ? selectedTopic : topics[0];
  return (
    <section className="card pad" aria-labelledby="messages">
      <div className="row">
        <h3 id="messages">Messages</h3>
        <span className="space" />
        {topics.length > 1 && topic && (
          <SelectField
            hideLabel
            label="Topic"
            options={topics.map((name) => [name, shortenTopicName(name)])}
            value={topic}
            onChange={selectTopic}
          />
        )}
      </div>
      {topic ? (
        <TopicStream key={topic} topic={topic} />
      ) : (
        <p className="quiet">There is no topic to watch.</p>
      )}
    </section>
  );
}

/** Follows one topic; another topic gets a component of its own. */
function TopicStream({ topic }: { readonly topic: string }) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const liveState = useLiveSubscription(
    messagePublishedSubscription,
    { topic },
    {
      lastEventId: messages[0]?.messageId,
      // Messages are delivered at least once: a repeated one has the same id.
      onData: ({ messagePublished: message }) => {
        if (message)
          setMessages((previousMessages) =>
            [message, ...previousMessages.filter(({ messageId }) => messageId !== message.messageId)].slice(
              0,
              maxMessages,
            ),
          );
      },
    },
  );
  return (
    <>
      <p className="row">
        <LiveBadge state={liveState} />
        <span className="quiet">Topic {topic}</span>
      </p>
      {messages.length === 0 && (
        <p className="quiet">Nothing yet. Publish a change, here or in another window.</p>
      )}
      <ol className="messages" aria-live="polite" aria-label={`Messages of ${shortenTopicName(topic)}`}>
        {messages.map(({ messageId, attributes, data }) => (
          <li key={messageId}>
            <p>
              <b>{attributes?.objectId}</b>{' '}
              <span className="tag">{labelOf(eventTypes, attributes?.eventType ?? '')}</span>{' '}
              {attributes?.eventTime && <Time instant={attributes.eventTime} />}
            </p>
            <details>
              <summary>
                Attributes and body<span className="hidden"> of {attributes?.objectId}</span>
              </summary>
              <pre tabIndex={0}>
                {JSON.stringify(attributes, null, 2)}
                {data ? `\n\n${data}` : ''}
              </pre>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}
