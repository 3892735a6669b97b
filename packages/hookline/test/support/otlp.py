"""Prints a request of OTLP, which comes in on stdin as protobuf, in the form that OTLP has in JSON.

The classes that OpenTelemetry publishes for Python decode it where they are installed. Elsewhere the tables below do,
which have the fields of opentelemetry-proto 1.x by number; a field that is not in them is an error.
"""

import base64
import json
import struct
import sys

try:
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

    REQUESTS = {
        "traces": trace_service_pb2.ExportTraceServiceRequest,
        "metrics": metrics_service_pb2.ExportMetricsServiceRequest,
    }
except ImportError:
    REQUESTS = None

IDS = ("traceId", "spanId", "parentSpanId")

# By number: the name in JSON and the type, which is a message of this table or one of the scalar types below. A star
# stands for a list, an exclamation mark for a field that is written even if it has its default value.
MESSAGES = {
    "traces": {1: ("resourceSpans", "ResourceSpans*")},
    "metrics": {1: ("resourceMetrics", "ResourceMetrics*")},
    "ResourceSpans": {1: ("resource", "Resource"), 2: ("scopeSpans", "ScopeSpans*"), 3: ("schemaUrl", "string")},
    "ScopeSpans": {1: ("scope", "Scope"), 2: ("spans", "Span*"), 3: ("schemaUrl", "string")},
    "ResourceMetrics": {1: ("resource", "Resource"), 2: ("scopeMetrics", "ScopeMetrics*"), 3: ("schemaUrl", "string")},
    "ScopeMetrics": {1: ("scope", "Scope"), 2: ("metrics", "Metric*"), 3: ("schemaUrl", "string")},
    "Resource": {1: ("attributes", "KeyValue*"), 2: ("droppedAttributesCount", "uint")},
    "Scope": {
        1: ("name", "string"),
        2: ("version", "string"),
        3: ("attributes", "KeyValue*"),
        4: ("droppedAttributesCount", "uint"),
    },
    "KeyValue": {1: ("key", "string"), 2: ("value", "AnyValue")},
    "AnyValue": {
        1: ("stringValue", "string!"),
        2: ("boolValue", "bool!"),
        3: ("intValue", "int64!"),
        4: ("doubleValue", "double!"),
        5: ("arrayValue", "ArrayValue"),
        6: ("kvlistValue", "KeyValueList"),
        7: ("bytesValue", "bytes!"),
    },
    "ArrayValue": {1: ("values", "AnyValue*")},
    "KeyValueList": {1: ("values", "KeyValue*")},
    "Span": {
        1: ("traceId", "id"),
        2: ("spanId", "id"),
        3: ("traceState", "string"),
        4: ("parentSpanId", "id"),
        5: ("name", "string"),
        6: ("kind", "uint"),
        7: ("startTimeUnixNano", "fixed64"),
        8: ("endTimeUnixNano", "fixed64"),
        9: ("attributes", "KeyValue*"),
        10: ("droppedAttributesCount", "uint"),
        12: ("droppedEventsCount", "uint"),
        14: ("droppedLinksCount", "uint"),
        15: ("status", "Status"),
        16: ("flags", "fixed32"),
    },
    "Status": {2: ("message", "string"), 3: ("code", "uint")},
    "Metric": {
        1: ("name", "string"),
        2: ("description", "string"),
        3: ("unit", "string"),
        7: ("sum", "Sum"),
        9: ("histogram", "Histogram"),
    },
    "Sum": {1: ("dataPoints", "Number*"), 2: ("aggregationTemporality", "uint"), 3: ("isMonotonic", "bool")},
    "Histogram": {1: ("dataPoints", "Distribution*"), 2: ("aggregationTemporality", "uint")},
    "Number": {
        2: ("startTimeUnixNano", "fixed64"),
        3: ("timeUnixNano", "fixed64"),
        4: ("asDouble", "double!"),
        6: ("asInt", "sfixed64!"),
        7: ("attributes", "KeyValue*"),
        8: ("flags", "uint"),
    },
    "Distribution": {
        2: ("startTimeUnixNano", "fixed64"),
        3: ("timeUnixNano", "fixed64"),
        4: ("count", "fixed64"),
        5: ("sum", "double!"),
        6: ("bucketCounts", "fixed64*"),
        7: ("explicitBounds", "double*"),
        9: ("attributes", "KeyValue*"),
        10: ("flags", "uint"),
        11: ("min", "double!"),
        12: ("max", "double!"),
    },
}

# How a scalar is made of what stands in the bytes, and its wire type. Integers of 64 bits are texts in JSON.
SCALARS = {
    "uint": (0, int),
    "bool": (0, bool),
    "int64": (0, lambda number: str(number - (1 << 64) if number >> 63 else number)),
    "fixed64": (1, lambda eight: str(struct.unpack("<Q", eight)[0])),
    "sfixed64": (1, lambda eight: str(struct.unpack("<q", eight)[0])),
    "double": (1, lambda eight: struct.unpack("<d", eight)[0]),
    "string": (2, lambda some: some.decode("utf-8")),
    "bytes": (2, lambda some: base64.b64encode(some).decode()),
    "id": (2, lambda some: some.hex()),
    "fixed32": (5, lambda four: struct.unpack("<I", four)[0]),
}
SIZES = {1: 8, 5: 4}


def varint(data, at):
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def fields_of(data):
    """The fields in their order: number, wire type, and what stands there."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            what, at = varint(data, at)
        else:
            if wire == 2:
                size, at = varint(data, at)
            else:
                size = SIZES[wire]
            what, at = data[at : at + size], at + size
            if len(what) != size:
                raise ValueError("the message is cut off")
        yield key >> 3, wire, what


def message(kind, data):
    result = {}
    for number, wire, what in fields_of(data):
        name, told = MESSAGES[kind][number]
        of = told.rstrip("*!")
        if of in MESSAGES:
            if wire != 2:
                raise ValueError(f"{name} is no message")
            values = [message(of, what)]
        else:
            wanted, read = SCALARS[of]
            # A list of numbers is packed into one field.
            if told.endswith("*") and wire == 2 and wanted == 1:
                values = [read(what[i : i + 8]) for i in range(0, len(what), 8)]
            elif wire == wanted:
                values = [read(what)]
            else:
                raise ValueError(f"{name} has the wire type {wire}")
        if told.endswith("*"):
            result.setdefault(name, []).extend(values)
        elif told.endswith("!") or of in MESSAGES or values[0] not in (0, "", "0", False):
            result[name] = values[0]
    return result


def with_hex_ids(value):
    """OTLP writes ids in hex where protobuf's JSON has base64."""
    if isinstance(value, list):
        return [with_hex_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(one).hex() if key in IDS else with_hex_ids(one)
        for key, one in value.items()
    }


kind, body = sys.argv[1], sys.stdin.buffer.read()
if REQUESTS is None:
    print(json.dumps(message(kind, body)))
else:
    request = REQUESTS[kind]()
    request.ParseFromString(body)
    print(json.dumps(with_hex_ids(MessageToDict(request, use_integers_for_enums=True))))
