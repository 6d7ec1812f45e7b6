"""Exercises events, calendars and buckets through google-api-python-client; prints the results as JSON.

Argument: the gateway's address. The variable TOKEN has a bearer token.
"""
import json
import os
import sys

import httplib2
from google.oauth2.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import set_user_agent

address, token = sys.argv[1], os.environ['TOKEN']
discovery = address + '/discovery/v1/apis/{api}/{apiVersion}/rest'
results = {}


def service(api, version):
    http = AuthorizedHttp(Credentials(token), http=set_user_agent(httplib2.Http(), 'life'))
    return build(api, version, http=http, discoveryServiceUrl=discovery, cache_discovery=False)


def refusal(request):
    """Returns the status, reason and location of a request's first error; None if it succeeds."""
    try:
        request.execute()
    except HttpError as error:
        first = json.loads(error.content.decode())['error']['errors'][0]
        return [error.resp.status, first['reason'], first.get('location')]
    return None


def reasons(request):
    """Returns `reason location` of all errors, and whether the first message is that of the response."""
    try:
        request.execute()
    except HttpError as error:
        content = json.loads(error.content.decode())['error']
        return sorted(one['reason'] + ' ' + one['location'] for one in content['errors']) + [error._get_reason() == content['errors'][0]['message']]
    return None


def hour(day):
    return {'start': {'dateTime': '2027-04-%02dT09:00:00Z' % day}, 'end': {'dateTime': '2027-04-%02dT10:00:00Z' % day}}


calendar = service('calendar', 'v3')
events = calendar.events()
made = events.insert(calendarId='primary', body=dict(hour(1), summary='Talk')).execute()
results['made'] = [made['kind'], made['summary'], made['eventType'], 'endTimeUnspecified' in made]
results['patched'] = events.patch(calendarId='primary', eventId=made['id'], body={'location': 'Here'}).execute()['location']
stale = events.patch(calendarId='primary', eventId=made['id'], body={'location': 'There'})
stale.headers['If-Match'] = made['etag']
results['stale'] = refusal(stale)
again = events.get(calendarId='primary', eventId=made['id']).execute()
results['same'] = events.update(calendarId='primary', eventId=made['id'], body=again).execute() == again
results['cleared'] = 'location' in events.patch(calendarId='primary', eventId=made['id'], body={'location': None}).execute()
replace = events.update(calendarId='primary', eventId=made['id'], body=dict(hour(1), summary='Talk', colorId='3'))
replace.headers['If-Match'] = again['etag']
results['overtaken'] = refusal(replace)
replace.headers['If-Match'] = events.get(calendarId='primary', eventId=made['id']).execute()['etag']
results['replaced'] = replace.execute()['colorId']
results['faults'] = reasons(events.insert(calendarId='primary', body=dict(hour(1), colorId='99', summary=5), maxAttendees=0))

for day in (2, 3):
    events.insert(calendarId='primary', body=dict(hour(day), summary='Paged')).execute()
request, pages = events.list(calendarId='primary', q='Paged', maxResults=1, singleEvents=True, orderBy='startTime'), []
while request is not None:
    page = request.execute()
    pages.append(len(page['items']))
    request = events.list_next(request, page)
results['pages'] = pages

# For URLs of more than 2,048 characters, the client sends a POST with an override.
results['long'] = sorted(events.list(calendarId='primary', q='Paged', fields=','.join(['items(id)', 'kind'] * 200)).execute())
results['fields'] = sorted(events.list(calendarId='primary', q='Paged', fields='items(id),kind').execute())
results['zone'] = events.list(calendarId='primary', timeZone='Asia/Tokyo', q='Talk').execute()['items'][0]['start']['dateTime']


def list_all(**query):
    """Returns the events of all pages, and the sync token of the last one."""
    request, items = events.list(calendarId='primary', maxResults=2, **query), []
    while request is not None:
        page = request.execute()
        items += page['items']
        request = events.list_next(request, page)
    return items, page['nextSyncToken']


_, sync_token = list_all()
changed = [events.insert(calendarId='primary', body=dict(hour(day), summary='Synced')).execute()['id'] for day in (5, 6, 7)]
events.delete(calendarId='primary', eventId=changed[0]).execute()
changes, sync_token = list_all(syncToken=sync_token)
results['synced'] = [{item['id']: item['status'] for item in changes} == dict(zip(changed, ['cancelled', 'confirmed', 'confirmed'])), list_all(syncToken=sync_token)[0]]
series = {'start': dict(hour(8)['start'], timeZone='UTC'), 'end': dict(hour(8)['end'], timeZone='UTC'), 'recurrence': ['RRULE:FREQ=DAILY;COUNT=3']}
series = events.insert(calendarId='primary', body=series).execute()
body = dict(hour(9), summary='Concert', iCalUID='concert@elsewhere.example', organizer={'email': 'erin@elsewhere.example'})
imported = events.import_(calendarId='primary', body=body).execute()
results['imported'] = [imported['organizer']['email'], events.import_(calendarId='primary', body=body).execute() == imported]
results['stays'] = refusal(events.move(calendarId='primary', eventId=imported['id'], destination='team@group.calendar.example.com'))
moved = events.move(calendarId='primary', eventId=series['id'], destination='team@group.calendar.example.com').execute()
results['moved'] = [moved['sequence'], events.get(calendarId='primary', eventId=series['id']).execute()['status']]
events.move(calendarId='team@group.calendar.example.com', eventId=series['id'], destination='primary').execute()
request, instances = events.instances(calendarId='primary', eventId=series['id'], maxResults=2), []
while request is not None:
    page = request.execute()
    instances += [item['id'].replace(series['id'], '') for item in page['items']]
    request = events.instances_next(request, page)
results['instances'] = instances
results['expired'] = refusal(events.list(calendarId='primary', syncToken='none'))

answers = {}


def note(id_, response, error):
    answers[id_] = error.resp.status if error else response if response == '' else response['summary']


batch = calendar.new_batch_http_request(callback=note)
batch.add(events.insert(calendarId='primary', body=dict(hour(4), summary='In a batch')), request_id='made')
batch.add(events.get(calendarId='primary', eventId='nothere'), request_id='not there')
batch.add(events.patch(calendarId='primary', eventId=made['id'], body={'summary': 'Zwölf'}), request_id='patched')
batch.add(events.delete(calendarId='primary', eventId=made['id']))
batch.execute()
results['batch'] = answers
batch, alone = calendar.new_batch_http_request(), []
batch.add(calendar.colors().get(), callback=lambda id_, response, error: alone.append(len(response['event'])))
batch.add(events.insert(calendarId='primary', body={'summary': 5}), callback=lambda id_, response, error: alone.append(error.resp.status))
batch.execute()
results['alone'] = alone
results['deleted'] = refusal(events.delete(calendarId='primary', eventId=made['id']))

request, calendars = calendar.calendarList().list(maxResults=1), 0
while request is not None:
    page = request.execute()
    calendars += len(page['items'])
    request = calendar.calendarList().list_next(request, page)
results['calendars'] = calendars
club = calendar.calendars().insert(body={'summary': 'Club', 'timeZone': 'Europe/Paris'}).execute()['id']
rule = calendar.acl().insert(calendarId=club, body={'role': 'reader', 'scope': {'type': 'user', 'value': 'bob@example.com'}}).execute()
rules = calendar.acl().list(calendarId=club).execute()['items']
results['shared'] = [rule['id'], calendar.acl().update(calendarId=club, ruleId=rule['id'], body=dict(rule, role='writer')).execute()['role'], len(rules)]
calendar.acl().delete(calendarId=club, ruleId=rule['id']).execute()
calendar.calendars().delete(calendarId=club).execute()
results['closed'] = refusal(calendar.calendars().get(calendarId=club))
question = {'timeMin': hour(2)['start']['dateTime'], 'timeMax': hour(2)['end']['dateTime'], 'items': [{'id': 'primary'}]}
results['busy'] = calendar.freebusy().query(body=question).execute()['calendars']['primary']['busy']
results['colors'] = len(calendar.colors().get().execute()['event'])
results['missing'] = [name for name in ('quickAdd', 'watch') if hasattr(events, name)]

storage = service('storage', 'v1')
bucket = storage.buckets().insert(project='demo-project', body={'name': 'made-by-python'}).execute()['name']
body = {'topic': '//pubsub.googleapis.com/projects/demo-project/topics/photos', 'payload_format': 'NONE', 'event_types': ['OBJECT_DELETE']}
notification = storage.notifications().insert(bucket=bucket, body=body).execute()
results['notification'] = {name: notification[name] for name in body} == body
read = storage.notifications().get(bucket=bucket, notification=notification['id']).execute()
listed = storage.notifications().list(bucket=bucket).execute()
results['subscriptions'] = [read == notification, listed['items'] == [notification]]
results['paid'] = storage.buckets().patch(bucket=bucket, body={'billing': {'requesterPays': True}}).execute()['billing']
results['unpaid'] = refusal(storage.notifications().list(bucket=bucket))
storage.buckets().patch(bucket=bucket, body={'billing': None}).execute()
storage.notifications().delete(bucket=bucket, notification=notification['id']).execute()
results['ended'] = refusal(storage.notifications().get(bucket=bucket, notification=notification['id']))[:2]
request, names = storage.buckets().list(project='demo-project', maxResults=1), []
while request is not None:
    page = request.execute()
    names += [item['name'] for item in page['items']]
    request = storage.buckets().list_next(request, page)
results['buckets'] = names
results['objects'] = storage.objects().list(bucket=bucket).execute()['items']
storage.buckets().delete(bucket=bucket).execute()
results['wrong'] = refusal(storage.notifications().insert(bucket='demo-photos', body={'topic': 'x', 'payload_format': 'NONE'}))

print(json.dumps(results))
