"""Expands recurrence sets with python-dateutil, except where the gateway decides otherwise (each case is named below).

Reads and writes JSON lines. In: {"start", "zone", "lines", "end"}: an instant in UTC with its zone, or a date with null;
lines as in RFC 5545; the local time before which occurrences are listed. Out: the same with {"starts", "endInstant", "isComplete"}:
instants in UTC or dates, the end as an instant, and whether no occurrence can follow. To renew recorded answers, run
`python3 recurrence-reference.py < recurrence-recorded.jsonl`, redirected to another file.
"""

import json
import sys
import types
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from dateutil import rrule as dateutil

FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
DAY = timedelta(days=1)


def numbers(parts, name):
    return [int(number) for number in parts[name].split(",")] if name in parts else None


def week_begin(day, first):
    return day - DAY * ((day.weekday() - first) % 7)


def expand(parts, start, end):
    """Occurrences of a rule from start to end, in local time, without COUNT and UNTIL."""
    frequency, first = parts["FREQ"], WEEKDAYS.index(parts.get("WKST", "MO"))
    interval, positions = int(parts.get("INTERVAL", 1)), numbers(parts, "BYSETPOS")
    by = {name.lower(): numbers(parts, name) for name in ("BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYHOUR", "BYMINUTE", "BYSECOND")}
    if by["bysecond"]:
        # A leap second counts as second 59.
        by["bysecond"] = [min(second, 59) for second in by["bysecond"]]
    by["byweekday"] = weekdays_of(parts)
    begin = start
    if frequency == "WEEKLY" and positions:
        # BYSETPOS counts from the first day of the week; dateutil's first week begins at the start.
        by["byweekday"] = by["byweekday"] or [(start.weekday(), 0)]
        begin = week_begin(start, first)
    if by["byweekday"] == []:
        found = []
    elif "BYWEEKNO" in parts:
        found = expand_weeks(parts, by, start, end, first)
    else:
        found = run(end, FREQUENCIES.index(frequency), dtstart=begin, interval=interval, wkst=first, bysetpos=positions, **by)
    return [moment for moment in found if start <= moment < end]


def weekdays_of(parts):
    """Weekdays with their numbers, or 0. dateutil intersects weekdays with and without numbers, and fails on numbers that
    no month has. So if any has a number, all get numbers, and impossible ones are left out."""
    if "BYDAY" not in parts:
        return None
    weekdays = [(WEEKDAYS.index(text[-2:]), int(text[:-2] or 0)) for text in parts["BYDAY"].split(",")]
    if not any(number for _, number in weekdays):
        return weekdays
    most = 53 if parts["FREQ"] == "YEARLY" and "BYMONTH" not in parts else 5
    numbered = {(day, each) for day, number in weekdays for each in ([number] if number else range(1, most + 1))}
    return [(day, number) for day, number in sorted(numbered) if abs(number) <= most]


def run(end, frequency, byweekday, **options):
    weekdays = byweekday and [dateutil.weekday(day, number or None) for day, number in byweekday]
    found = []
    # Expands the whole period around the end, since BYSETPOS also counts from its end.
    Near.end = end.date() + {dateutil.YEARLY: 366, dateutil.MONTHLY: 31, dateutil.WEEKLY: 7}.get(frequency, 1) * DAY
    try:
        for moment in dateutil.rrule(frequency, byweekday=weekdays, **options):
            if moment >= end:
                break
            found.append(moment)
    except (Beyond, ValueError):
        pass  # dateutil raises ValueError if the interval never meets the BY parts
    return found


class Beyond(Exception):
    pass


class Near(date):
    """Date type for dateutil that stops at `end`: without further matches dateutil would continue to the year 9999."""

    end = date.max

    def __new__(cls, *parts):
        day = date.__new__(cls, *parts)
        if day > cls.end:
            raise Beyond
        return day


dateutil.datetime = types.SimpleNamespace(date=Near, datetime=datetime, time=time, MAXYEAR=9999)


def expand_weeks(parts, by, start, end, first):
    """With BYWEEKNO, years consist of whole weeks, and the default weekday is that of the start. dateutil uses calendar
    years, takes all days of a week, and numbers weeks incorrectly at the end of some years."""
    if not (by["byweekday"] or by["bymonthday"] or by["byyearday"]):
        by["byweekday"] = [(start.weekday(), 0)]
    elif not by["byweekday"]:
        by["byweekday"] = [(day, 0) for day in range(7)]
    times = {"byhour": start.hour, "byminute": start.minute, "bysecond": start.second}
    by = {**by, **{name: by[name] or [value] for name, value in times.items()}}
    days = run(end + 400 * DAY, dateutil.YEARLY, dtstart=datetime(start.year - 1, 1, 1), **by)
    years = {}
    for moment in days:
        year, *names = week_of(moment, first)
        if any(number in numbers(parts, "BYWEEKNO") for number in names):
            years.setdefault(year, []).append(moment)
    origin, interval, positions = week_of(start, first)[0], int(parts.get("INTERVAL", 1)), numbers(parts, "BYSETPOS")
    found = []
    for year, moments in sorted(years.items()):
        if year < origin or (year - origin) % interval != 0:
            continue
        places = {place - 1 if place > 0 else len(moments) + place for place in positions} if positions else range(len(moments))
        found += [moments[place] for place in sorted(places) if 0 <= place < len(moments)]
    return found


def week_of(moment, first):
    """The year of a week, by its fourth day, and the week's numbers from the first and from the last week."""
    middle = week_begin(moment.date(), first) + 3 * DAY
    number = (middle - date(middle.year, 1, 1)).days // 7 + 1
    assert first != 0 or (middle.year, number) == moment.isocalendar()[:2]
    return middle.year, number, -((date(middle.year, 12, 31) - middle).days // 7) - 1


class Series:
    def __init__(self, question):
        self.zone = ZoneInfo(question["zone"]) if question["zone"] else None
        self.first = self.read(question["start"])
        self.start = self.first.astimezone(self.zone).replace(tzinfo=None, fold=0) if self.zone else self.first
        end = datetime.fromisoformat(question["end"])
        self.end_instant = self.instant(end)
        # Times after an end in a gap may become instants before it.
        turned = [(end + by).replace(tzinfo=self.zone).utcoffset() or timedelta() for by in (-DAY, DAY)]
        self.end = end + abs(turned[1] - turned[0])

    @staticmethod
    def read(text):
        moment = datetime.strptime(text.rstrip("Z"), "%Y%m%dT%H%M%S" if "T" in text else "%Y%m%d")
        return moment.replace(tzinfo=timezone.utc) if text.endswith("Z") else moment

    def instant(self, local, zone=None):
        """Moves a time in a gap forward, and takes the first of two equal times, as fold=0 does (PEP 495)."""
        return local.replace(tzinfo=zone or self.zone).astimezone(timezone.utc) if self.zone else local

    def rule(self, value, counts):
        """Instants of a rule, and whether the rule is exhausted before the end."""
        parts = dict(part.split("=") for part in value.split(";"))
        found = expand(parts, self.start, self.end)
        ended = False
        if "COUNT" in parts:
            # The start is always an occurrence, and COUNT includes it.
            count = int(parts["COUNT"]) - (1 if counts and self.start not in found[:1] else 0)
            ended = len(found) >= count
            found = found[:max(0, count)]
        instants = [self.instant(local) for local in found]
        if "UNTIL" in parts:
            last = self.read(parts["UNTIL"])
            ended = last < self.end_instant
            instants = [instant for instant in instants if instant <= last]
        return instants, ended

    def dates(self, parameters, value):
        zone = next((ZoneInfo(text[5:]) for text in parameters if text.startswith("TZID=")), self.zone)
        moments = [self.read(text) for text in value.split(",")]
        return [moment if moment.tzinfo else self.instant(moment, zone) for moment in moments]

    def starts(self, lines):
        included, excluded, ended = {self.first}, set(), True
        for line in lines:
            head, value = line.split(":", 1)
            name, *parameters = head.split(";")
            if name == "RRULE":
                instants, ends = self.rule(value, True)
                included.update(instants)
                ended = ended and ends
            elif name == "EXRULE":
                excluded.update(self.rule(value, False)[0])
            else:
                (included if name == "RDATE" else excluded).update(self.dates(parameters, value))
        # Nothing occurs before the start.
        starts = sorted(moment for moment in included - excluded if self.first <= moment < self.end_instant)
        return starts, ended and max(included) < self.end_instant


TIME = "%Y%m%dT%H%M%SZ"

for line in sys.stdin:
    question = json.loads(line)
    series = Series(question)
    starts, is_complete = series.starts(question["lines"])
    written = [moment.strftime(TIME if series.zone else "%Y%m%d") for moment in starts]
    print(json.dumps({**question, "starts": written, "endInstant": series.end_instant.strftime(TIME), "isComplete": is_complete}), flush=True)
