"""Reads iTIP objects with Debian's python3-icalendar and python3-dateutil: a JSON list of objects on standard input, a list of
readings (reading.ts) on standard output. Times use the VTIMEZONEs of the object alone."""

import json
import re
import sys
from datetime import datetime, timezone

from dateutil.rrule import rruleset, rrulestr
from icalendar import Calendar

UNTIL = datetime(2028, 1, 1)


def as_list(value):
    return value if isinstance(value, list) else [] if value is None else [value]


class Reader:
    def __init__(self, calendar):
        self.zones = {str(zone["TZID"]): zone.to_tz() for zone in calendar.walk("VTIMEZONE")}

    def instant(self, local, zone):
        """Converts a local time to UTC."""
        return (self.zones[zone].localize(local) if zone else local.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)

    def local(self, utc, zone):
        moment = datetime.strptime(utc, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
        return (moment.astimezone(self.zones[zone]) if zone else moment).strftime("%Y%m%dT%H%M%S")

    def written(self, moment, zone):
        if not isinstance(moment, datetime):
            return moment.isoformat()
        if moment.tzinfo is None:
            raise ValueError("a floating time")
        return self.print(self.instant(moment.replace(tzinfo=None), zone))

    def print(self, moment):
        return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def times(self, event, name):
        """Values of properties with one time or several."""
        found = []
        for entry in as_list(event.get(name)):
            moments = [one.dt for one in entry.dts] if hasattr(entry, "dts") else [entry.dt]
            found += [self.written(moment, zone_of(entry)) for moment in moments]
        return found

    def starts(self, event):
        if "RRULE" not in event and "RDATE" not in event:
            return None
        first = event["DTSTART"]
        zone, local = zone_of(first), first.dt
        is_day = not isinstance(local, datetime)
        local = datetime(local.year, local.month, local.day) if is_day else local.replace(tzinfo=None)
        print_start = lambda moment: moment.strftime("%Y-%m-%d") if is_day else self.print(self.instant(moment, zone))
        occurrences = rruleset()
        occurrences.rdate(local)
        for rule in as_list(event.get("RRULE")):
            # dateutil expands rules in local times.
            text = re.sub(r"(?<=UNTIL=)\w+Z", lambda found: self.local(found[0], zone), rule.to_ical().decode())
            occurrences.rrule(rrulestr(text, dtstart=local))
        found = {print_start(moment) for moment in occurrences.between(local, UNTIL, inc=True)} | set(self.times(event, "RDATE"))
        return sorted(found - set(self.times(event, "EXDATE")))

    def event(self, event):
        time = lambda name: (self.times(event, name) or [None])[0]
        text = lambda name: str(event[name]) if name in event else None
        return {
            "uid": text("UID"), "sequence": int(event["SEQUENCE"]), "stamp": time("DTSTAMP"),
            "recurrenceId": time("RECURRENCE-ID"), "start": time("DTSTART"), "end": time("DTEND"),
            "summary": text("SUMMARY"), "description": text("DESCRIPTION"), "location": text("LOCATION"),
            "status": text("STATUS"), "comment": text("COMMENT"), "organizer": address_of(event["ORGANIZER"]),
            "attendees": [attendee(one) for one in as_list(event.get("ATTENDEE"))],
            "excluded": self.times(event, "EXDATE"), "starts": self.starts(event),
        }


def zone_of(entry):
    zone = entry.params.get("TZID")
    return str(zone) if zone else None


def address_of(uri):
    return str(uri)[len("mailto:"):]


def attendee(one):
    # The library does not decode RFC 6868.
    parameter = lambda name: re.sub(r"\^(['n^])", lambda found: {"'": '"', "n": "\n", "^": "^"}[found[1]], str(one.params.get(name, "")))
    return {
        "address": address_of(one), "name": parameter("CN"), "type": parameter("CUTYPE"), "role": parameter("ROLE"),
        "status": parameter("PARTSTAT"), "asked": parameter("RSVP") == "TRUE",
    }


def read(text):
    calendar = Calendar.from_ical(text)
    reader = Reader(calendar)
    return {"method": str(calendar["METHOD"]), "events": [reader.event(event) for event in calendar.walk("VEVENT")]}


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
